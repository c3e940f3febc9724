# stb (libstb-dev): letters for films, as a compiled library. The fallback compiles the one header that we use.
include_guard()
if(NOT ECHOLOOP_FETCH_stb)
  pkg_check_modules(STB QUIET IMPORTED_TARGET stb)
endif()
if(TARGET PkgConfig::STB)
  add_library(stb::stb ALIAS PkgConfig::STB)
else()
  FetchContent_Declare(stb GIT_REPOSITORY https://github.com/nothings/stb.git
                       GIT_TAG 8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55)  # the commit that Debian 12 packages
  FetchContent_MakeAvailable(stb)
  set(STB_UNIT ${CMAKE_CURRENT_BINARY_DIR}/stb_truetype.cpp)
  file(CONFIGURE OUTPUT ${STB_UNIT} CONTENT "#define STB_TRUETYPE_IMPLEMENTATION\n#include <stb_truetype.h>\n")
  add_library(stb_letters STATIC ${STB_UNIT})
  target_include_directories(stb_letters SYSTEM PUBLIC ${stb_SOURCE_DIR})
  add_library(stb::stb ALIAS stb_letters)
endif()
