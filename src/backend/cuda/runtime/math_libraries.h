// cuBLAS and cuSOLVER, loaded when flow first needs them: hundreds of megabytes that a viewer of images should neither
// require nor wait for. Without them only flow fails, with a message.
#pragma once

#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>

#include <memory>
#include <vector>

#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/stream.h"
#include "dsp/complex.h"

namespace echoloop::cuda {

struct MathLibraries {
  decltype(&cublasCreate_v2) blas_create;
  decltype(&cublasDestroy_v2) blas_destroy;
  decltype(&cublasSetStream_v2) blas_set_stream;
  decltype(&cublasCgemm_v2) cgemm;
  decltype(&cublasCgemmStridedBatched) cgemm_batched;
  decltype(&cusolverDnCreate) solver_create;
  decltype(&cusolverDnDestroy) solver_destroy;
  decltype(&cusolverDnSetStream) solver_set_stream;
  decltype(&cusolverDnZheevd_bufferSize) zheevd_size;
  decltype(&cusolverDnZheevd) zheevd;
};

// Loads them once. Throws Error, naming the library, if one is missing. [any thread]
const MathLibraries& math_libraries();

// Handle of each library, on one stream. One thread.
class MathHandles {
 public:
  explicit MathHandles(StreamView stream);
  ~MathHandles();
  MathHandles(const MathHandles&) = delete;
  MathHandles& operator=(const MathHandles&) = delete;

  // Column-major matrices: c [m][n], a [m][k], b [k][n].
  struct Product {
    int m, n, k;
    const Complex* a;
    int lda;
    const Complex* b;
    int ldb;
    Complex* c;
    int ldc;
  };
  // write: c = a b; add: c += a b
  enum class Into { write, add };
  void multiply(const Product& p, Into into) const;
  // Computes conj(a)^T b for n_blocks blocks of k rows, contiguous in a and b; blocks of c are c_stride apart.
  void multiply_blocks(const Product& p, int n_blocks, long long c_stride) const;

  // Returns the work space of eigenvectors(), in complex values.
  [[nodiscard]] int eigen_work(int n) const;
  // Computes eigenvectors of `matrix`, Hermitian [n][n], column-major, lower triangle, in place; values: ascending.
  // info: 0, or an error.
  void eigenvectors(int n, cuDoubleComplex* matrix, double* values, cuDoubleComplex* work, int n_work, int* info) const;

 private:
  const MathLibraries& libraries_;
  cublasHandle_t blas_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
};

// cuFFT transforms, in place and unnormalised, on one stream. Shared by the lanes: the stream runs them in order, so
// one plan and one work area serve all frames in flight. Processing thread only.

// cuFFT, loaded when the first device is selected. Without it the program uses the CPU, with a message.
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

// Loads it once. Throws Error, naming the library, if it is missing. [any thread]
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
