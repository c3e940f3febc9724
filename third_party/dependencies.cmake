# Every library the program uses, as an imported target. System packages come first; where a system lacks one,
# FetchContent brings the release named here. No library's source is kept in this repository.
include_guard()
include(FetchContent)
find_package(PkgConfig REQUIRED)

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)        # zlib1g-dev
find_package(fmt REQUIRED)         # libfmt-dev
find_package(nlohmann_json REQUIRED)  # nlohmann-json3-dev
find_package(CLI11 REQUIRED)       # libcli11-dev
find_package(tomlplusplus REQUIRED)   # libtomlplusplus-dev

pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)  # libmatio-dev
add_library(matio::matio ALIAS PkgConfig::MATIO)
pkg_check_modules(KISSFFT REQUIRED IMPORTED_TARGET kissfft-float)  # libkissfft-dev
add_library(kissfft::float ALIAS PkgConfig::KISSFFT)

pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)  # libstb-dev: a compiled library, PNG writing
add_library(stb::stb ALIAS PkgConfig::STB)

if(ECHOLOOP_GUI)
  find_package(glfw3 REQUIRED)  # libglfw3-dev
  find_package(OpenGL REQUIRED COMPONENTS EGL)  # libegl-dev
  include(imgui)
  include(glad)
endif()
if(ECHOLOOP_TESTS)
  find_package(GTest REQUIRED)  # libgtest-dev
endif()
