# Language level, warnings, sanitizers and compiler cache, carried by one interface target.
include_guard()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)  # told that precompiled headers are compared by content
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()

# Parsed once for all files that are compiled alike: half of the time of an average file.
set(standard_headers <algorithm> <array> <atomic> <chrono> <cmath> <complex> <condition_variable> <cstddef> <cstdint>
                     <cstdio> <cstring> <filesystem> <functional> <limits> <map> <memory> <mutex> <numeric> <optional>
                     <span> <sstream> <stop_token> <string> <string_view> <thread> <utility> <variant> <vector>)

# Ten files of a library are compiled as one: a third of the time. What they call their own differs, so that any ten
# fit; a second name is refused as a redefinition. -DECHOLOOP_JOINED=OFF compiles each file alone.
if(ECHOLOOP_JOINED)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
endif()

find_package(Threads REQUIRED)
add_library(echoloop_settings INTERFACE)
target_link_libraries(echoloop_settings INTERFACE Threads::Threads)
set(warnings -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlap in "text" + std::string (its bug 105651), with precompiled headers a size below 0 as well.
  list(APPEND warnings -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
# Errors where the compiler is one that we build with: newer ones know more warnings, sanitizers provoke false ones.
if(ECHOLOOP_WERROR AND NOT ECHOLOOP_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warnings -Werror)
endif()
target_compile_options(echoloop_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It looks for unused memory first at 1 GB, not at 128 MB: a sixth less time (80 s become 66).
  target_compile_options(echoloop_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
endif()
if(CCACHE_PROGRAM AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(echoloop_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

if(ECHOLOOP_SANITIZE STREQUAL "address")
  # Three checks whose faults the address sanitizer stops at as well, and texts of the others, took 30 % of the build:
  # a trap has its line in the stack trace.
  set(flags -fsanitize=address,undefined -fno-sanitize=null,vptr,object-size -fno-sanitize-recover=all
            -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags -fsanitize-undefined-trap-on-error)
  endif()
  # Code of tests alone is compiled without the second one: in half of the time. What is tested keeps both.
  set(unchecked -fno-sanitize=undefined)
elseif(ECHOLOOP_SANITIZE STREQUAL "fuzzer")  # Clang; with the sanitizers of "address"
  set(flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(ECHOLOOP_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(ECHOLOOP_SANITIZE)
  target_compile_options(echoloop_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${flags}>
                         $<$<BOOL:$<TARGET_PROPERTY:ECHOLOOP_TEST>>:${unchecked}>)
  target_link_options(echoloop_settings INTERFACE ${flags})
  target_compile_definitions(echoloop_settings INTERFACE ECHO_SANITIZED)
endif()
