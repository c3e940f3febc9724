#include "backend/cuda/runtime/fft_plan.h"

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

FftPlan::FftPlan(const FftShape& shape, StreamView stream) : library_(fft_library()), shape_(shape), work_(stream) {
  CUFFT_CHECK(library_.create(&handle_));
  try {
    make(stream);
  } catch (...) {
    if (!device_lost()) static_cast<void>(library_.destroy(handle_));
    throw;
  }
}

void FftPlan::make(StreamView stream) {
  CUFFT_CHECK(library_.set_auto_allocation(handle_, 0));
  long long n = shape_.n;
  const bool columns = shape_.kind == FftKind::complex_columns;
  const bool real = shape_.kind == FftKind::real_lines;
  const long long bins = n / 2 + 1;
  long long in_embed = real ? 2 * bins : n;
  long long out_embed = real ? bins : n;
  const long long stride = columns ? shape_.batch : 1;
  const long long in_next = columns ? 1 : in_embed;
  const long long out_next = columns ? 1 : out_embed;
  std::size_t work_bytes = 0;
  CUFFT_CHECK(library_.make_plan_many(handle_, 1, &n, &in_embed, stride, in_next, &out_embed, stride, out_next,
                                      real ? CUFFT_R2C : CUFFT_C2C, shape_.batch, &work_bytes));
  if (work_bytes > 0) {
    work_.grow(work_bytes);
    CUFFT_CHECK(library_.set_work_area(handle_, work_.as<void>()));
  }
  CUFFT_CHECK(library_.set_stream(handle_, stream.get()));
}

FftPlan::~FftPlan() {
  // With the device its memory is gone; what cuFFT does about it then is not known, so it is not asked.
  if (!device_lost()) static_cast<void>(library_.destroy(handle_));
}

void FftPlan::forward(void* data) const {
  if (shape_.kind == FftKind::real_lines) {
    CUFFT_CHECK(library_.exec_r2c(handle_, static_cast<cufftReal*>(data), static_cast<cufftComplex*>(data)));
  } else {
    CUFFT_CHECK(
        library_.exec_c2c(handle_, static_cast<cufftComplex*>(data), static_cast<cufftComplex*>(data), CUFFT_FORWARD));
  }
}

void FftPlan::inverse(Complex* data) const {
  static_assert(sizeof(Complex) == sizeof(cufftComplex) && alignof(Complex) == alignof(cufftComplex));
  auto* values = reinterpret_cast<cufftComplex*>(data);
  CUFFT_CHECK(library_.exec_c2c(handle_, values, values, CUFFT_INVERSE));
}

std::shared_ptr<const FftPlan> FftCache::get(const FftShape& shape) {
  std::erase_if(plans_, [](const auto& plan) { return plan.expired(); });
  for (const auto& known : plans_) {
    const auto plan = known.lock();
    if (plan != nullptr && plan->shape() == shape) return plan;
  }
  auto plan = std::make_shared<const FftPlan>(shape, stream_);
  plans_.push_back(plan);
  return plan;
}

}  // namespace echoloop::cuda
