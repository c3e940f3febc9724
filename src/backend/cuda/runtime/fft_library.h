// cuFFT, loaded when the first device is chosen. Where it is not installed, the program runs on the CPU and says so.
#pragma once

#include <cufft.h>

namespace echoloop::cuda {

struct FftLibrary {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftMakePlanMany64) make_plan_many;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecR2C) exec_r2c;
  decltype(&cufftExecC2C) exec_c2c;
};

// Loads it once. Throws Error, naming the library, where it is missing. [any thread]
const FftLibrary& fft_library();

}  // namespace echoloop::cuda
