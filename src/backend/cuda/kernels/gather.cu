// One column of an image: a thread a row.
#include "backend/cuda/kernels/gather.h"
#include "backend/cuda/runtime/launch.cuh"

namespace echoloop::cuda {
namespace {

__global__ void __launch_bounds__(kThreads)
    column_kernel(const float* __restrict__ image, const __grid_constant__ ColumnShape shape, float* column) {
  const int row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (row < shape.nz) column[row] = image[static_cast<long long>(row) * shape.nx + shape.column];
}

}  // namespace

void gather_column(const float* image, const ColumnShape& shape, float* column, StreamView stream) {
  column_kernel<<<blocks_for(static_cast<std::size_t>(shape.nz)), kThreads, 0, stream.get()>>>(image, shape, column);
  CUDA_CHECK_LAUNCH("gather_column");
}

}  // namespace echoloop::cuda
