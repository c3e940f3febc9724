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
  // The library has no word for a lost device: ask the runtime.
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

}  // namespace echoloop::cuda
