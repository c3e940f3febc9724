# The CUDA toolkit (12 or newer, for C++20), when there is one: its compiler on PATH or in the usual folder.
# Sets ECHOLOOP_HAVE_CUDA. A toolkit that cannot compile here, for its age or the host compiler's, counts as none.
include_guard()
set(ECHOLOOP_HAVE_CUDA OFF)
if(NOT ECHOLOOP_CUDA OR ECHOLOOP_SANITIZE STREQUAL "thread")
  return()
endif()
find_program(ECHOLOOP_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
if(NOT ECHOLOOP_NVCC)
  message(STATUS "No CUDA toolkit found: building the CPU program")
  return()
endif()

# The machine's own GPUs; where it has none: PTX of Turing, Ampere with Ada, and Hopper, in half of the time. The preset
# "package" makes machine code of all three.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capabilities
                  RESULT_VARIABLE failed ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(failed STREQUAL "0" AND capabilities)
    list(REMOVE_DUPLICATES capabilities)
    list(TRANSFORM capabilities REPLACE "([0-9]+)\\.([0-9]+)" "\\1\\2-real" OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-virtual 90-virtual)
    # The same of kernels without instructions that are later than the first's.
    set(ECHOLOOP_SHARED_PTX --generate-code=arch=compute_75,code=compute_75)
  endif()
elseif("75-real" IN_LIST CMAKE_CUDA_ARCHITECTURES AND "90" IN_LIST CMAKE_CUDA_ARCHITECTURES)
  set(ECHOLOOP_SHARED_PTX --generate-code=arch=compute_75,code=[compute_75,sm_75,sm_80,sm_90])
endif()

# nvcc refuses host compilers newer than itself: try the default one, then older ones that may be there.
if(NOT ECHOLOOP_NVCC_HOST)
  set(trial ${CMAKE_CURRENT_BINARY_DIR}/nvcc_trial.cu)
  file(WRITE ${trial} "#include <algorithm>\n#include <memory>\n#include <span>\n#include <vector>\n__global__ void kernel() {}\n")
  foreach(host ${CMAKE_CUDA_HOST_COMPILER} ${CMAKE_CXX_COMPILER} g++-13 g++-12)
    execute_process(COMMAND ${ECHOLOOP_NVCC} -std=c++20 -ccbin ${host} -c ${trial} -o ${trial}.o
                    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed STREQUAL "0")
      set(ECHOLOOP_NVCC_HOST ${host} CACHE INTERNAL "The host compiler that nvcc takes")
      break()
    endif()
  endforeach()
endif()
if(NOT ECHOLOOP_NVCC_HOST)
  string(REGEX MATCH "[^\n]*(error|fatal)[^\n]*" said "${said}")
  message(STATUS "${ECHOLOOP_NVCC} cannot compile C++20 here (${said}): building the CPU program")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${ECHOLOOP_NVCC})
set(CMAKE_CUDA_HOST_COMPILER ${ECHOLOOP_NVCC_HOST})
enable_language(CUDA)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake before 3.26 does not know that nvcc 12 can
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
set(ECHOLOOP_HAVE_CUDA ON)
