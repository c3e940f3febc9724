// Sorting and running sums, by CUB: the one file that pays for compiling it.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backend/cuda/kernels/object_kernels.h"

namespace echoloop::cuda {
namespace {

template <class T>
void inclusive_sum(T* values, int n, const Scratch& scratch, StreamView stream) {
  std::size_t bytes = scratch.bytes;
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(scratch.memory, bytes, values, values, n, stream.get()));
}

}  // namespace

std::size_t sort_scratch_bytes(int n) {
  std::size_t sort = 0;
  std::size_t doubles = 0;
  std::size_t ints = 0;
  cub::DoubleBuffer<float> levels;
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(nullptr, sort, levels, n));
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, doubles, static_cast<double*>(nullptr),
                                           static_cast<double*>(nullptr), n + 1));
  CUDA_CHECK(
      cub::DeviceScan::InclusiveSum(nullptr, ints, static_cast<int*>(nullptr), static_cast<int*>(nullptr), n + 1));
  return std::max({sort, doubles, ints, std::size_t{1}});  // no bytes would be another question for how many
}

const float* sort_levels(float* levels, float* other, int n, const Scratch& scratch, StreamView stream) {
  cub::DoubleBuffer<float> both(levels, other);
  std::size_t bytes = scratch.bytes;
  CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch.memory, bytes, both, n, 0, 32, stream.get()));
  return both.Current();
}

void sum_up(double* values, int n, const Scratch& scratch, StreamView stream) {
  inclusive_sum(values, n, scratch, stream);
}

void sum_up(int* values, int n, const Scratch& scratch, StreamView stream) {
  inclusive_sum(values, n, scratch, stream);
}

}  // namespace echoloop::cuda
