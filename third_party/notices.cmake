# The copyright file of the installed program: our licence, then the notices of every library whose code is compiled
# into the programs (headers and static libraries), from its package or, where it was fetched, from its source folder.
# Shared libraries keep their own, in their packages.
include_guard()

# package, fetched folder's variable, what it is
set(ECHOLOOP_COMPILED_IN
  "libcli11-dev|cli11_SOURCE_DIR|CLI11"
  "nlohmann-json3-dev|nlohmann_json_SOURCE_DIR|JSON for Modern C++"
  "libeigen3-dev|eigen_SOURCE_DIR|Eigen"
  "libtomlplusplus-dev|tomlplusplus_SOURCE_DIR|toml++"
  "libfmt-dev|fmt_SOURCE_DIR|fmt"
  "libstb-dev|stb_SOURCE_DIR|stb"
  "libkissfft-dev|kissfft_SOURCE_DIR|KISS FFT")
if(ECHOLOOP_GUI)
  list(APPEND ECHOLOOP_COMPILED_IN
    "libimgui-dev|imgui_SOURCE_DIR|Dear ImGui"
    "python3-glad|glad_SOURCE_DIR|the OpenGL loader that glad wrote"
    "libglfw3-dev|glfw3_SOURCE_DIR|GLFW")
endif()
if(ECHOLOOP_READER_IS_STATIC)  # the reader process
  list(APPEND ECHOLOOP_COMPILED_IN
    "libhdf5-dev||HDF5" "libmatio-dev||matio" "libaec-dev||libaec" "zlib1g-dev||zlib" "libblosc-dev||Blosc"
    "libzstd-dev||Zstandard" "liblz4-dev||LZ4" "libsnappy-dev||Snappy" "libc6-dev||the GNU C library"
    "libstdc++6||the GNU C++ library")
endif()

function(echoloop_write_notices file)
  file(READ ${PROJECT_SOURCE_DIR}/LICENSE text)
  foreach(entry ${ECHOLOOP_COMPILED_IN})
    string(REPLACE "|" ";" parts "${entry}")
    list(GET parts 0 package)
    list(GET parts 1 folder)
    list(GET parts 2 name)
    set(places /usr/share/doc/${package}/copyright)
    if(folder AND DEFINED ${folder})
      file(GLOB fetched ${${folder}}/LICENSE* ${${folder}}/COPYING*)
      list(PREPEND places ${fetched})
    endif()
    set(found)
    foreach(place ${places})
      if(EXISTS ${place})
        file(READ ${place} notice)
        string(APPEND text "\n${name}\n\n${notice}")
        set(found yes)
        break()
      endif()
    endforeach()
    if(NOT found)
      message(STATUS "No licence text of ${name} found: a package made here may not be passed on")
    endif()
  endforeach()
  if(ECHOLOOP_HAVE_CUDA)
    string(APPEND text "\nCUDA runtime library\n\nThe program contains the CUDA runtime (cudart), (c) NVIDIA Corporation, "
      "under the CUDA Toolkit End User License Agreement, which permits its distribution as a part of a program:\n"
      "https://docs.nvidia.com/cuda/eula/\n")
  endif()
  file(WRITE ${file} "${text}")
endfunction()
