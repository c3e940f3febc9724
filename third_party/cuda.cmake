# The CUDA toolkit, when there is one: its compiler on PATH or in the usual folder. Sets ECHOLOOP_HAVE_CUDA.
# Architectures: the machine's own where it has a GPU, otherwise a short list whose last entry carries PTX,
# so that the build stays quick and newer GPUs still run.
include_guard()
set(ECHOLOOP_HAVE_CUDA OFF)
if(NOT ECHOLOOP_CUDA OR ECHOLOOP_SANITIZE STREQUAL "thread")
  return()
endif()
find_program(ECHOLOOP_NVCC nvcc HINTS ENV CUDACXX /usr/local/cuda/bin)
if(NOT ECHOLOOP_NVCC)
  message(STATUS "No CUDA toolkit found: building the CPU program")
  return()
endif()
set(CMAKE_CUDA_COMPILER ${ECHOLOOP_NVCC})
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capability
                  RESULT_VARIABLE failed ERROR_QUIET)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" capability "${capability}")
  if(NOT failed AND capability)
    set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_MATCH_1}${CMAKE_MATCH_2}-real)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # 90 without suffix: machine code and PTX
  endif()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
set(ECHOLOOP_HAVE_CUDA ON)
