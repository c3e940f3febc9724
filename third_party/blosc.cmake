# Blosc (libblosc-dev), the packing of zea's recordings: where it is not, such a file is refused with a line naming it.
include_guard()
option(ECHOLOOP_BLOSC "Read HDF5 data packed by Blosc when libblosc is found" ON)
if(ECHOLOOP_BLOSC)
  pkg_check_modules(BLOSC QUIET IMPORTED_TARGET blosc>=1.16)  # blosc_cbuffer_validate
endif()
add_library(blosc INTERFACE)
if(TARGET PkgConfig::BLOSC)
  target_link_libraries(blosc INTERFACE PkgConfig::BLOSC)
  target_compile_definitions(blosc INTERFACE ECHO_HAVE_BLOSC)
else()
  message(STATUS "HDF5 data packed by Blosc: off (no libblosc-dev)")
endif()
add_library(blosc::blosc ALIAS blosc)
