// Sums over the pixels of each object, selection of large enough objects, and their numbers. Sums are of integers: the
// order of the atomics does not matter. A warp first adds its pixels of one object, as an image that is one object
// would otherwise serialise at one address.
#include <climits>

#include "backend/cuda/kernels/object_kernels.h"
#include "backend/cuda/runtime/launch.cuh"

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;
constexpr unsigned kAll = 0xffffffffu;

// Returns the result in all lanes.
template <class T, class Join>
__device__ T over_warp(T v, const Join& join) {
  for (int step = kWarp / 2; step > 0; step /= 2) v = join(v, __shfl_xor_sync(kAll, v, step));
  return v;
}

__device__ ObjectSums warp_sums(const ObjectSums& own) {
  const auto add = [](auto a, auto b) { return a + b; };
  const auto lower = [](int a, int b) { return a < b ? a : b; };
  const auto higher = [](int a, int b) { return a > b ? a : b; };
  ObjectSums s;
  s.pixels = over_warp(own.pixels, add);
  s.area = over_warp(own.area, add);
  s.x = over_warp(own.x, add);
  s.z = over_warp(own.z, add);
  s.level = over_warp(own.level, add);
  s.ix0 = over_warp(own.ix0, lower);
  s.ix1 = over_warp(own.ix1, higher);
  s.iz0 = over_warp(own.iz0, lower);
  s.iz1 = over_warp(own.iz1, higher);
  return s;
}

// Returns the neutral sums.
__device__ ObjectSums no_sums() {
  ObjectSums s;
  s.ix0 = s.iz0 = INT_MAX;
  s.ix1 = s.iz1 = -1;
  return s;
}

__device__ void add_atomically(long long& to, long long v) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(v));  // modulo 2^64
}

__device__ void add_atomically(ObjectSums& to, const ObjectSums& s) {
  atomicAdd(&to.pixels, s.pixels);
  atomicAdd(&to.area, s.area);
  add_atomically(to.x, s.x);
  add_atomically(to.z, s.z);
  add_atomically(to.level, s.level);
  atomicMin(&to.ix0, s.ix0);
  atomicMax(&to.ix1, s.ix1);
  atomicMin(&to.iz0, s.iz0);
  atomicMax(&to.iz1, s.iz1);
}

__global__ void __launch_bounds__(kThreads)
    clear_kernel(const ObjectFindings* __restrict__ findings, ObjectSums* __restrict__ objects) {
  const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (k < findings->found) objects[k] = no_sums();
}

__global__ void __launch_bounds__(kThreads)
    sum_kernel(PixelSelection p, PixelMoments moments, const int* __restrict__ roots, const int* __restrict__ numbers,
               ObjectSums* objects) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int root = i < p.nx * p.nz ? roots[i] : -1;
  const int number = root >= 0 ? numbers[root] : 0;
  const ObjectSums own = number > 0 ? pixel_sums(moments, p.db[i], i % p.nx, i / p.nx) : no_sums();
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  unsigned left = __ballot_sync(kAll, number > 0);
  while (left != 0) {
    const int first = __ffs(static_cast<int>(left)) - 1;
    const int object = __shfl_sync(kAll, number, first);
    const unsigned same = __ballot_sync(kAll, number == object);
    const bool alone = __popc(same) == 1;
    const ObjectSums s = alone ? own : warp_sums(number == object ? own : no_sums());
    if (lane == first) add_atomically(objects[object - 1], s);
    left &= ~same;
  }
}

__global__ void __launch_bounds__(kThreads)
    keep_kernel(const ObjectSums* __restrict__ objects, const ObjectFindings* __restrict__ findings, int n,
                unsigned long long least_area, int* __restrict__ keep) {
  const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (k < n) keep[k] = k < findings->found && objects[k].area >= least_area ? 1 : 0;
}

__global__ void __launch_bounds__(kThreads)
    label_kernel(const ObjectSums* __restrict__ objects, const int* __restrict__ keep, const int* __restrict__ numbers,
                 int n, int most, unsigned long long least_area, int* __restrict__ roots, ObjectFindings* findings) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= n) return;
  if (i == 0) findings->kept = keep[most - 1];
  const int root = roots[i];
  const int object = root >= 0 ? numbers[root] - 1 : -1;
  roots[i] = object >= 0 && objects[object].area >= least_area ? keep[object] : 0;
}

__global__ void __launch_bounds__(kThreads)
    pick_kernel(const ObjectSums* __restrict__ objects, const int* __restrict__ keep, int found,
                unsigned long long least_area, ObjectSums* __restrict__ table) {
  const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (k < found && objects[k].area >= least_area) table[keep[k] - 1] = objects[k];
}

unsigned blocks_of(int n) { return blocks_for(static_cast<std::size_t>(n)); }

}  // namespace

void sum_objects(const PixelSelection& pixels, const PixelMoments& moments, unsigned long long least_area, int* roots,
                 const int* numbers, const ObjectSpace& space, ObjectFindings* findings, StreamView stream) {
  const int n = pixels.nx * pixels.nz;
  const int most = (n + 1) / 2;
  clear_kernel<<<blocks_of(most), kThreads, 0, stream.get()>>>(findings, space.objects);
  CUDA_CHECK_LAUNCH("sum_objects, beginning");
  sum_kernel<<<blocks_of(n), kThreads, 0, stream.get()>>>(pixels, moments, roots, numbers, space.objects);
  CUDA_CHECK_LAUNCH("sum_objects");
  keep_kernel<<<blocks_of(most), kThreads, 0, stream.get()>>>(space.objects, findings, most, least_area, space.keep);
  CUDA_CHECK_LAUNCH("sum_objects, choice");
  sum_up(space.keep, most, space.scratch, stream);
  label_kernel<<<blocks_of(n), kThreads, 0, stream.get()>>>(space.objects, space.keep, numbers, n, most, least_area,
                                                            roots, findings);
  CUDA_CHECK_LAUNCH("sum_objects, labels");
}

void pick_objects(const ObjectSpace& space, int found, unsigned long long least_area, ObjectSums* table,
                  StreamView stream) {
  pick_kernel<<<blocks_of(found), kThreads, 0, stream.get()>>>(space.objects, space.keep, found, least_area, table);
  CUDA_CHECK_LAUNCH("pick_objects");
}

}  // namespace echoloop::cuda
