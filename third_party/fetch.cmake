# The fallback for systems that lack a library's package: its release, by FetchContent. Used only when the lookup
# of the package failed, or when -DECHOLOOP_FETCH_<name>=ON asks for it.
include_guard()
include(FetchContent)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # the options that dependencies.cmake sets hold in the fetched projects

macro(echoloop_fetch name repository tag)
  message(STATUS "Fetching ${name} ${tag}, of which this system has no package")
  FetchContent_Declare(${name} GIT_REPOSITORY https://github.com/${repository}.git GIT_TAG ${tag} GIT_SHALLOW ON)
  FetchContent_MakeAvailable(${name})
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

# A library that CMake itself finds: package name, target, repository and release.
macro(echoloop_dependency package target repository tag)
  if(NOT ECHOLOOP_FETCH_${package})
    find_package(${package} QUIET)
  endif()
  if(NOT TARGET ${target})
    echoloop_fetch(${package} ${repository} ${tag})
    echoloop_as_system(${target})
  endif()
endmacro()
