# The libraries that parse foreign files (HDF5, matio, zlib, Blosc), for the reader process: static, so that nothing of
# other libraries runs in it, where this system has them all so (Debian does: libmatio-dev, libhdf5-dev, libaec-dev,
# zlib1g-dev; libblosc-dev with libzstd-dev, liblz4-dev, libsnappy-dev); shared elsewhere.
include_guard()
include(CheckCXXSourceCompiles)
option(ECHOLOOP_STATIC_READER "Link the reader process statically where this system can" ON)

set(ECHOLOOP_READER_LIBRARIES matio::matio blosc::blosc ZLIB::ZLIB)
set(ECHOLOOP_READER_IS_STATIC OFF)
set(ECHOLOOP_HDF5 PkgConfig::HDF5)  # of the programs that write files

function(echoloop_find_static_libraries)
  set(names matio hdf5 sz aec)
  if(TARGET PkgConfig::BLOSC)
    list(APPEND names blosc snappy)
  endif()
  foreach(packer zstd lz4)  # Blosc needs both
    string(TOUPPER ${packer} upper)
    if(TARGET PkgConfig::BLOSC OR TARGET PkgConfig::${upper})
      list(APPEND names ${packer})
    endif()
  endforeach()
  list(APPEND names z)
  set(found)
  foreach(name ${names})
    find_library(ECHOLOOP_STATIC_${name} NAMES lib${name}.a HINTS ${HDF5_LIBRARY_DIRS} PATH_SUFFIXES hdf5/serial)
    mark_as_advanced(ECHOLOOP_STATIC_${name})
    if(NOT ECHOLOOP_STATIC_${name})
      message(STATUS "Reader process: linked with shared libraries (no lib${name}.a)")
      return()
    endif()
    list(APPEND found ${ECHOLOOP_STATIC_${name}})
  endforeach()
  set(CMAKE_REQUIRED_LIBRARIES ${found} m)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS} ${MATIO_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <hdf5.h>\n#include <matio.h>
    int main() { return H5Fopen(\"\", 0, 0) < 0 && Mat_Open(\"\", 0) == nullptr; }" ECHOLOOP_READER_LINKS_STATICALLY)
  if(NOT ECHOLOOP_READER_LINKS_STATICALLY)
    message(STATUS "Reader process: linked with shared libraries (the static ones do not link)")
    return()
  endif()
  set(ECHOLOOP_READER_LIBRARIES ${found} m PARENT_SCOPE)
  set(ECHOLOOP_READER_IS_STATIC ON PARENT_SCOPE)
  list(FILTER found INCLUDE REGEX "/lib(hdf5|sz|aec)\\.a$")
  set(ECHOLOOP_HDF5 ${found} $<TARGET_FILE:ZLIB::ZLIB> PARENT_SCOPE)  # after them, wherever else it is
endfunction()

if(ECHOLOOP_STATIC_READER AND NOT ECHOLOOP_SANITIZE)
  echoloop_find_static_libraries()
endif()
# Debian's shared one brings 29 libraries (curl, Kerberos ...). Tests stay with it, for matio is linked with it.
add_library(echoloop_static_hdf5 INTERFACE)
target_link_libraries(echoloop_static_hdf5 INTERFACE ${ECHOLOOP_HDF5})
target_include_directories(echoloop_static_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
