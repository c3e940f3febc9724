// cuBLAS and cuSOLVER, loaded when flow first needs them: hundreds of megabytes that nobody should wait for, or need,
// who only looks at images. Where they are not installed, flow says so and everything else works.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

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

// Loads them once. Throws Error, naming the library, where one is missing. [any thread]
const MathLibraries& math_libraries();

// A handle of each library, on one stream. One thread.
class MathHandles {
 public:
  explicit MathHandles(StreamView stream);
  ~MathHandles();
  MathHandles(const MathHandles&) = delete;
  MathHandles& operator=(const MathHandles&) = delete;

  // Matrices by columns: c [m][n], a [m][k], b [k][n].
  struct Product {
    int m, n, k;
    const Complex* a;
    int lda;
    const Complex* b;
    int ldb;
    Complex* c;
    int ldc;
  };
  // c = a b, or with `more` c += a b
  enum class Into { write, add };
  void multiply(const Product& p, Into into) const;
  // conj(a)^T b for n_blocks blocks of k rows, which follow each other in a and b; blocks of c lie c_stride apart.
  void multiply_blocks(const Product& p, int n_blocks, long long c_stride) const;

  // Complex values of work space that eigenvectors() needs.
  [[nodiscard]] int eigen_work(int n) const;
  // matrix: Hermitian [n][n] by columns, lower triangle -> its eigenvectors, by columns; values: rising. info: 0, or
  // what went wrong.
  void eigenvectors(int n, cuDoubleComplex* matrix, double* values, cuDoubleComplex* work, int n_work, int* info) const;

 private:
  const MathLibraries& libraries_;
  cublasHandle_t blas_ = nullptr;
  cusolverDnHandle_t solver_ = nullptr;
};

}  // namespace echoloop::cuda
