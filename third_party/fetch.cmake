# The fallback for systems that lack a library's package: its release, by FetchContent. Used only when the lookup
# of the package failed, or when -DECHOLOOP_FETCH_<name>=ON asks for it. Every archive is named by its SHA-256: a release
# that is replaced at its origin is refused.
include_guard()
include(FetchContent)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # the options that dependencies.cmake sets hold in the fetched projects

if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # times of fetched files
endif()

# Further arguments are FetchContent_Declare's.
macro(echoloop_fetch name url sha256)
  message(STATUS "Fetching ${name} from ${url}, of which this system has no package")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} ${ARGN})
  FetchContent_MakeAvailable(${name})
endmacro()

macro(echoloop_fetch_github name repository tag sha256)
  echoloop_fetch(${name} https://github.com/${repository}/archive/refs/tags/${tag}.tar.gz ${sha256})
endmacro()

# A fetched library's headers give no warnings in our code.
function(echoloop_as_system target)
  get_target_property(real ${target} ALIASED_TARGET)
  if(NOT real)
    set(real ${target})
  endif()
  get_target_property(folders ${real} INTERFACE_INCLUDE_DIRECTORIES)
  set_property(TARGET ${real} PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${folders})
endfunction()

# A library that CMake itself finds: package name, target, repository, release and the hash of its archive.
macro(echoloop_dependency package target repository tag sha256)
  if(NOT ECHOLOOP_FETCH_${package})
    find_package(${package} QUIET)
  endif()
  if(NOT TARGET ${target})
    echoloop_fetch_github(${package} ${repository} ${tag} ${sha256})
    echoloop_as_system(${target})
  endif()
endmacro()
