# Every library the program uses, as an imported target. System packages come first (their Debian and Ubuntu names
# stand beside them); where a system lacks one, the release named here is fetched. No library's source is kept here.
include_guard()
include(fetch)
find_package(PkgConfig REQUIRED)  # pkg-config

find_package(ZLIB REQUIRED)                              # zlib1g-dev
find_package(PNG REQUIRED)                               # libpng-dev
pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)  # libmatio-dev
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)  # libhdf5-dev; formats/ silences its error stack
add_library(matio_hdf5 INTERFACE)
target_link_libraries(matio_hdf5 INTERFACE PkgConfig::MATIO PkgConfig::HDF5)
add_library(matio::matio ALIAS matio_hdf5)

set(FMT_INSTALL OFF)
set(JSON_Install OFF)
echoloop_dependency(fmt fmt::fmt fmtlib/fmt 10.2.1)                                     # libfmt-dev
echoloop_dependency(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json v3.11.3)   # nlohmann-json3-dev
echoloop_dependency(CLI11 CLI11::CLI11 CLIUtils/CLI11 v2.4.2)                           # libcli11-dev
echoloop_dependency(tomlplusplus tomlplusplus::tomlplusplus marzer/tomlplusplus v3.4.0) # libtomlplusplus-dev
include(kissfft)
include(eigen)
include(stb)
include(blosc)
include(reader_libraries)
include(cairo)

if(ECHOLOOP_GUI)
  find_package(OpenGL REQUIRED COMPONENTS EGL)  # libegl-dev
  foreach(part DOCS TESTS EXAMPLES INSTALL WAYLAND)
    set(GLFW_BUILD_${part} OFF)
  endforeach()
  set(GLFW_INSTALL OFF)
  echoloop_dependency(glfw3 glfw glfw/glfw 3.4)  # libglfw3-dev
  include(imgui)
  include(glad)
endif()
if(ECHOLOOP_TESTS)
  set(INSTALL_GTEST OFF)
  echoloop_dependency(GTest GTest::gtest_main google/googletest v1.14.0)  # libgtest-dev
endif()
