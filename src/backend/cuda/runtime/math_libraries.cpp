#include "backend/cuda/runtime/math_libraries.h"

#include <string>

#include "backend/cuda/runtime/toolkit_library.h"

namespace echoloop::cuda {

namespace {

MathLibraries load() {
  const auto library = [](const char* name, int major) {
    return ToolkitLibrary("flow on the GPU", name, major, "flow also runs with --backend cpu");
  };
  const ToolkitLibrary blas = library("cublas", CUBLAS_VER_MAJOR);
  MathLibraries l{};
  blas.find("cublasCreate_v2", l.blas_create);
  blas.find("cublasDestroy_v2", l.blas_destroy);
  blas.find("cublasSetStream_v2", l.blas_set_stream);
  blas.find("cublasCgemm_v2", l.cgemm);
  blas.find("cublasCgemmStridedBatched", l.cgemm_batched);
  const ToolkitLibrary solver = library("cusolver", CUSOLVER_VER_MAJOR);
  solver.find("cusolverDnCreate", l.solver_create);
  solver.find("cusolverDnDestroy", l.solver_destroy);
  solver.find("cusolverDnSetStream", l.solver_set_stream);
  solver.find("cusolverDnZheevd_bufferSize", l.zheevd_size);
  solver.find("cusolverDnZheevd", l.zheevd);
  return l;
}

template <class Status>
void check_call(Status status, const char* call) {
  if (static_cast<int>(status) == 0) return;
  // The library does not report a lost device: queries the runtime.
  static_cast<void>(succeeded_quietly(cudaStreamQuery(cudaStreamLegacy)));
  throw CudaError(std::string(call) + ": status " + std::to_string(static_cast<int>(status)) +
                  (device_lost() ? "; " + loss_text() : std::string()));
}

const cuComplex* plain(const Complex* v) { return reinterpret_cast<const cuComplex*>(v); }
cuComplex* plain(Complex* v) { return reinterpret_cast<cuComplex*>(v); }

constexpr cuComplex kOne{1.0f, 0.0f};
constexpr cuComplex kZero{0.0f, 0.0f};

}  // namespace

const MathLibraries& math_libraries() {
  static const MathLibraries libraries = load();
  return libraries;
}

MathHandles::MathHandles(StreamView stream) : libraries_(math_libraries()) {
  check_call(libraries_.blas_create(&blas_), "cublasCreate");
  try {
    check_call(libraries_.blas_set_stream(blas_, stream.get()), "cublasSetStream");
    check_call(libraries_.solver_create(&solver_), "cusolverDnCreate");
    check_call(libraries_.solver_set_stream(solver_, stream.get()), "cusolverDnSetStream");
  } catch (...) {
    libraries_.blas_destroy(blas_);
    if (solver_ != nullptr) libraries_.solver_destroy(solver_);
    throw;
  }
}

MathHandles::~MathHandles() {
  libraries_.solver_destroy(solver_);
  libraries_.blas_destroy(blas_);
}

void MathHandles::multiply(const Product& p, Into into) const {
  const cuComplex* before = into == Into::add ? &kOne : &kZero;
  check_call(libraries_.cgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_N, p.m, p.n, p.k, &kOne, plain(p.a), p.lda, plain(p.b),
                              p.ldb, before, plain(p.c), p.ldc),
             "cublasCgemm");
}

void MathHandles::multiply_blocks(const Product& p, int n_blocks, long long c_stride) const {
  check_call(libraries_.cgemm_batched(blas_, CUBLAS_OP_C, CUBLAS_OP_N, p.m, p.n, p.k, &kOne, plain(p.a), p.lda, p.k,
                                      plain(p.b), p.ldb, p.k, &kZero, plain(p.c), p.ldc, c_stride, n_blocks),
             "cublasCgemmStridedBatched");
}

int MathHandles::eigen_work(int n) const {
  int count = 0;
  check_call(
      libraries_.zheevd_size(solver_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, nullptr, n, nullptr, &count),
      "cusolverDnZheevd_bufferSize");
  return count;
}

void MathHandles::eigenvectors(int n, cuDoubleComplex* matrix, double* values, cuDoubleComplex* work, int n_work,
                               int* info) const {
  check_call(libraries_.zheevd(solver_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, matrix, n, values, work,
                               n_work, info),
             "cusolverDnZheevd");
}

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
  // With the device its memory is lost; cuFFT's behaviour is then undefined, so it is not called.
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
