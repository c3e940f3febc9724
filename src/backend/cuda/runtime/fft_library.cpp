#include "backend/cuda/runtime/fft_library.h"

#include "backend/cuda/runtime/toolkit_library.h"

namespace echoloop::cuda {
namespace {

FftLibrary load_fft() {
  const ToolkitLibrary file("imaging on the GPU", "cufft", CUFFT_VER_MAJOR, "--backend cpu needs no CUDA");
  FftLibrary l{};
  file.find("cufftCreate", l.create);
  file.find("cufftDestroy", l.destroy);
  file.find("cufftSetAutoAllocation", l.set_auto_allocation);
  file.find("cufftMakePlanMany64", l.make_plan_many);
  file.find("cufftSetWorkArea", l.set_work_area);
  file.find("cufftSetStream", l.set_stream);
  file.find("cufftExecR2C", l.exec_r2c);
  file.find("cufftExecC2C", l.exec_c2c);
  return l;
}

}  // namespace

const FftLibrary& fft_library() {
  static const FftLibrary library = load_fft();
  return library;
}

}  // namespace echoloop::cuda
