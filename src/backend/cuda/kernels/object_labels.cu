// Connected objects by equivalence of labels. Every pixel beyond the threshold points to an earlier one of its object,
// at first the start of its run within a warp; neighbouring runs are united at their roots, keeping the lower root (as
// in Playne and Hawick, IEEE Trans. Parallel Distrib. Syst. 29, 2018); finally all point to their root. The root is
// therefore an object's first pixel row by row, for any order of threads.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "backend/cuda/kernels/object_kernels.h"
#include "backend/cuda/runtime/launch.h"

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kRows = kThreads / kWarp;
constexpr unsigned kAll = 0xffffffffu;

struct PixelPlace {
  int ix, iz;
  bool inside;
};

// Returns the thread's pixel; a warp is 32 pixels of a row.
__device__ PixelPlace own_pixel(const PixelSelection& p) {
  const int ix = static_cast<int>(blockIdx.x) * kWarp + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kRows + static_cast<int>(threadIdx.y);
  return {ix, iz, ix < p.nx && iz < p.nz};
}

// Reads from where writes of all threads are visible. A parent may be outdated, but of the same object; the exchange at
// the root detects it.
__device__ int parent_of(const int* roots, int i) { return __ldcg(roots + i); }

__device__ int root_of(const int* roots, int i) {
  int parent = parent_of(roots, i);
  while (parent != i) {
    i = parent;
    parent = parent_of(roots, i);
  }
  return i;
}

__device__ void unite(int* roots, int a, int b) {
  for (;;) {
    a = root_of(roots, a);
    b = root_of(roots, b);
    if (a == b) return;
    const int low = a < b ? a : b;
    const int high = a < b ? b : a;
    const int before = atomicMin(roots + high, low);
    if (before == high) return;
    a = before;  // no longer a root: unites its new root as well
    b = low;
  }
}

__global__ void __launch_bounds__(kThreads)
    run_kernel(PixelSelection p, const ObjectFindings* __restrict__ findings, int* __restrict__ roots) {
  const PixelPlace at = own_pixel(p);
  const int i = at.iz * p.nx + at.ix;
  const bool on = at.inside && beyond_threshold(p.db[i], p.smoothed[i], findings->threshold_db, p.wanted);
  const unsigned selected = __ballot_sync(kAll, on);
  if (!at.inside) return;
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned gaps_before = ~selected & ((1u << lane) - 1u);
  const int begin = gaps_before == 0 ? 0 : kWarp - __clz(static_cast<int>(gaps_before));
  roots[i] = on ? i - (lane - begin) : -1;
}

__global__ void __launch_bounds__(kThreads) unite_kernel(PixelSelection p, int* roots) {
  const PixelPlace at = own_pixel(p);
  if (!at.inside) return;
  const int i = at.iz * p.nx + at.ix;
  const auto selected = [&](int other) { return parent_of(roots, other) >= 0; };
  if (!selected(i)) return;
  const bool left = at.ix > 0 && selected(i - 1);
  if (left && threadIdx.x == 0) unite(roots, i, i - 1);
  if (at.iz == 0 || !selected(i - p.nx)) return;
  if (left && selected(i - p.nx - 1)) return;  // the pixel on the left unites the same two runs
  unite(roots, i, i - p.nx);
}

// Finds the root of every pixel and marks the roots, which are then counted.
__global__ void __launch_bounds__(kThreads) root_kernel(int n, int* roots, int* __restrict__ marks) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= n) return;
  const int parent = parent_of(roots, i);
  const int root = parent < 0 ? -1 : root_of(roots, parent);
  if (root >= 0) roots[i] = root;
  marks[i] = root == i ? 1 : 0;
}

__global__ void found_kernel(const int* __restrict__ numbers, int n, ObjectFindings* findings) {
  findings->found = numbers[n - 1];
}

}  // namespace

void label_objects(const PixelSelection& pixels, int* roots, int* numbers, const Scratch& scratch,
                   ObjectFindings* findings, StreamView stream) {
  const int n = pixels.nx * pixels.nz;
  const dim3 threads(kWarp, kRows);
  const dim3 blocks(static_cast<unsigned>((pixels.nx + kWarp - 1) / kWarp),
                    static_cast<unsigned>((pixels.nz + kRows - 1) / kRows));
  run_kernel<<<blocks, threads, 0, stream.get()>>>(pixels, findings, roots);
  CUDA_CHECK_LAUNCH("label_objects, runs");
  unite_kernel<<<blocks, threads, 0, stream.get()>>>(pixels, roots);
  CUDA_CHECK_LAUNCH("label_objects, union");
  root_kernel<<<blocks_for(static_cast<std::size_t>(n)), kThreads, 0, stream.get()>>>(n, roots, numbers);
  CUDA_CHECK_LAUNCH("label_objects, roots");
  sum_up(numbers, n, scratch, stream);
  found_kernel<<<1, 1, 0, stream.get()>>>(numbers, n, findings);
  CUDA_CHECK_LAUNCH("label_objects, count");
}

// Sorting and running sums by CUB: in one file, because of its compile time.

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
  return std::max({sort, doubles, ints, std::size_t{1}});  // 0 bytes would query the size again
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
