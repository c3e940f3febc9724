// cuFFT transforms, in place and unnormalised, on one stream. Lanes share them: one stream runs them one after the
// other, so one plan and one work area serve all frames in flight. Processing thread only.
#pragma once

#include <cufft.h>

#include <memory>
#include <vector>

#include "backend/cuda/runtime/device_buffer.h"
#include "dsp/complex.h"

namespace echoloop::cuda {

// cuFFT, loaded when the first device is chosen. Where it is not installed, the program runs on the CPU and says so.
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

enum class FftKind {
  real_lines,       // [batch] lines of n floats at a pitch of 2 (n / 2 + 1) floats -> n / 2 + 1 complex
  complex_lines,    // [batch][n]
  complex_columns,  // [n][batch]: along the slow axis
};

struct FftShape {
  FftKind kind;
  long long n;
  long long batch;
  friend bool operator==(const FftShape&, const FftShape&) = default;
};

class FftPlan {
 public:
  FftPlan(const FftShape& shape, StreamView stream);
  ~FftPlan();
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  [[nodiscard]] const FftShape& shape() const { return shape_; }

  void forward(void* data) const;
  void inverse(Complex* data) const;  // complex kinds only

 private:
  void make(StreamView stream);
  const FftLibrary& library_;
  FftShape shape_;
  DeviceBuffer work_;
  cufftHandle handle_ = 0;
};

class FftCache {
 public:
  explicit FftCache(StreamView stream) : stream_(stream) {}
  std::shared_ptr<const FftPlan> get(const FftShape& shape);

 private:
  StreamView stream_;
  std::vector<std::weak_ptr<const FftPlan>> plans_;
};

}  // namespace echoloop::cuda
