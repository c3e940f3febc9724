#include "backend/cuda/runtime/launch.h"

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {

void allow_all_shared_memory(const void* kernel) {
  int device = 0;
  int most = 0;  // bytes of a block, static and dynamic
  cudaFuncAttributes code{};
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA_CHECK(cudaFuncGetAttributes(&code, kernel));
  const int dynamic = most - static_cast<int>(code.sharedSizeBytes);
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
}

}  // namespace echoloop::cuda
