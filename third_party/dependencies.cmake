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
echoloop_dependency(fmt fmt::fmt fmtlib/fmt 10.2.1  # libfmt-dev
                    1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
echoloop_dependency(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json v3.11.3  # nlohmann-json3-dev
                    0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
echoloop_dependency(CLI11 CLI11::CLI11 CLIUtils/CLI11 v2.4.2  # libcli11-dev
                    f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
echoloop_dependency(tomlplusplus tomlplusplus::tomlplusplus marzer/tomlplusplus v3.4.0  # libtomlplusplus-dev
                    8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155)
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
  echoloop_dependency(glfw3 glfw glfw/glfw 3.4  # libglfw3-dev
                      c038d34200234d071fae9345bc455e4a8f2f544ab60150765d7704e08f3dac01)
  include(imgui)
  include(glad)
endif()
if(ECHOLOOP_TESTS)
  set(INSTALL_GTEST OFF)
  echoloop_dependency(GTest GTest::gtest_main google/googletest v1.14.0  # libgtest-dev
                      8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
endif()
