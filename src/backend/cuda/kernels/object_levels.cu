// Histogram, background and threshold of an image in dB. The background stays on the device: levels are sorted, those
// that do not count last, and one thread runs clip_levels() over them and their running sums.
#include <climits>
#include <cmath>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/object_kernels.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/objects.h"

namespace echoloop::cuda {

// Separable Gaussian of an image in dB, by the sum of dsp/refine.h. A block first loads its pixels and those within
// reach into shared memory, so that each is read from memory once, not once per tap. Built without fused multiply-adds:
// bit-identical to plain loops.

namespace {

constexpr int kColumns = 32;  // of a block that smooths columns
constexpr int kRows = 32;
constexpr int kWarps = kThreads / kColumns;
constexpr int kWide = 128;  // of a block that smooths rows
constexpr int kLines = kThreads / kWide;

__global__ void __launch_bounds__(kThreads) axial_kernel(PictureView view, SmoothTaps taps, float* __restrict__ to) {
  __shared__ float levels[kRows + 2 * kMaxSmoothReach][kColumns];
  __shared__ float weights[kMaxSmoothReach + 1];
  const int column = static_cast<int>(threadIdx.x) % kColumns;
  const int warp = static_cast<int>(threadIdx.x) / kColumns;
  const int ix = static_cast<int>(blockIdx.x) * kColumns + column;
  const int first = static_cast<int>(blockIdx.y) * kRows;
  for (int k = static_cast<int>(threadIdx.x); k <= taps.reach; k += kThreads) weights[k] = taps.taps[k];
  for (int row = warp; row < kRows + 2 * taps.reach; row += kWarps)
    levels[row][column] = nearest_pixel(view, ix, first + row - taps.reach);
  __syncthreads();
  if (ix >= view.nx) return;
  for (int row = warp; row < kRows && first + row < view.nz; row += kWarps) {
    const int middle = row + taps.reach;
    to[static_cast<long long>(first + row) * view.nx + ix] =
        smooth_line({weights, taps.reach}, [&](int k) { return levels[middle + k][column]; });
  }
}

__global__ void __launch_bounds__(kThreads)
    lateral_kernel(PictureView view, SmoothTaps taps, int row_step, float* __restrict__ to) {
  __shared__ float levels[kLines][kWide + 2 * kMaxSmoothReach];
  __shared__ float weights[kLines][kMaxSmoothReach + 1];
  const int column = static_cast<int>(threadIdx.x) % kWide;
  const int line = static_cast<int>(threadIdx.x) / kWide;
  const int first = static_cast<int>(blockIdx.x) * kWide;
  const int iz = static_cast<int>(blockIdx.y) * kLines + line;
  const int own = iz < view.nz ? iz : view.nz - 1;  // beyond the image: read, not written
  for (int k = column; k <= taps.reach; k += kWide)
    weights[line][k] = taps.taps[static_cast<long long>(own) * row_step + k];
  for (int at = column; at < kWide + 2 * taps.reach; at += kWide)
    levels[line][at] = nearest_pixel(view, first + at - taps.reach, own);
  __syncthreads();
  const int ix = first + column;
  if (ix >= view.nx || iz >= view.nz) return;
  const float* middle = levels[line] + column + taps.reach;
  to[static_cast<long long>(iz) * view.nx + ix] =
      smooth_line({weights[line], taps.reach}, [middle](int k) { return middle[k]; });
}

unsigned parts(int n, int of) { return static_cast<unsigned>((n + of - 1) / of); }

}  // namespace

void smooth_axially(const PictureView& view, const SmoothTaps& taps, float* to, StreamView stream) {
  const dim3 blocks(parts(view.nx, kColumns), parts(view.nz, kRows));
  axial_kernel<<<blocks, kThreads, 0, stream.get()>>>(view, taps, to);
  CUDA_CHECK_LAUNCH("smooth_axially");
}

void smooth_laterally(const PictureView& view, const SmoothTaps& taps, int row_step, float* to, StreamView stream) {
  const dim3 blocks(parts(view.nx, kWide), parts(view.nz, kLines));
  lateral_kernel<<<blocks, kThreads, 0, stream.get()>>>(view, taps, row_step, to);
  CUDA_CHECK_LAUNCH("smooth_laterally");
}

namespace {

constexpr unsigned kHistogramBlocks = 264;  // each adds its own counts to the image's

__global__ void __launch_bounds__(kThreads)
    histogram_kernel(const float* __restrict__ db, int n, unsigned* __restrict__ histogram) {
  __shared__ unsigned counts[kHistogramPlaces];
  for (int i = static_cast<int>(threadIdx.x); i < kHistogramPlaces; i += kThreads) counts[i] = 0;
  __syncthreads();
  const int step = static_cast<int>(gridDim.x) * kThreads;
  for (int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x); i < n; i += step) {
    const int place = histogram_place(db[i], static_cast<float>(kHistogramFirst_db),
                                      static_cast<float>(1.0 / kHistogramStep_db), kHistogramBins);
    atomicAdd(&counts[place], 1U);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kHistogramPlaces; i += kThreads)
    if (counts[i] > 0) atomicAdd(&histogram[i], counts[i]);
}

__global__ void __launch_bounds__(kThreads)
    key_kernel(const float* __restrict__ db, const float* __restrict__ levels, int n, float* __restrict__ keys) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < n) keys[i] = level_counts(db[i]) ? levels[i] : INFINITY;
}

// Finds number and median of the levels that count. One thread.
__global__ void count_kernel(const float* __restrict__ sorted, int n, ObjectFindings* findings) {
  const SortedLevels all{sorted, nullptr, nullptr, n, 0.0};
  const long long counting = first_level(all, 0, n, static_cast<double>(FLT_MAX), Edge::above);
  findings->counting = counting;
  findings->pivot_db = counting > 0 ? static_cast<double>(sorted[(counting - 1) / 2]) : 0.0;
}

// Terms of the running sums, preceded by a 0.
__global__ void __launch_bounds__(kThreads)
    deviation_kernel(const float* __restrict__ sorted, int n, const ObjectFindings* __restrict__ findings,
                     double* __restrict__ sum, double* __restrict__ sum_of_squares) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i > n) return;
  const bool counts = i > 0 && i <= findings->counting;
  const double off_db = counts ? static_cast<double>(sorted[i - 1]) - findings->pivot_db : 0.0;
  sum[i] = off_db;
  sum_of_squares[i] = off_db * off_db;
}

// One thread.
__global__ void clip_kernel(const float* __restrict__ sorted, const double* __restrict__ sum,
                            const double* __restrict__ sum_of_squares, double kappa, const ObjectFindings* findings,
                            Background* background) {
  const SortedLevels levels{sorted, sum, sum_of_squares, findings->counting, findings->pivot_db};
  const ClippedLevels c = clip_levels(levels, kappa);
  Background b{};
  if (c.end > c.first) {
    b = {.median_db = c.median_db,
         .mean_db = c.mean_db,
         .sigma_db = c.sigma_db,
         .pixels = static_cast<std::uint64_t>(c.end - c.first),
         .rounds = c.rounds,
         .lowest_db = static_cast<double>(sorted[c.first]),
         .highest_db = static_cast<double>(sorted[c.end - 1])};
  }
  *background = b;
}

__global__ void __launch_bounds__(kThreads)
    fill_kernel(const float* __restrict__ db, int n, const ObjectFindings* __restrict__ findings,
                float* __restrict__ filled) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < n) filled[i] = level_or(db[i], static_cast<float>(findings->background.median_db));
}

// Rows or columns of an image: level k of a line is at line * line_step + k * level_step.
struct LineSteps {
  int lines, length;
  long long line_step, level_step;
};

LineSteps steps_of(ImageLines lines, int nx, int nz) {
  return lines == ImageLines::rows ? LineSteps{nz, nx, nx, 1} : LineSteps{nx, nz, 1, nx};
}

// Returns a key that orders as the float does.
__device__ unsigned order_key(float level) {
  const unsigned bits = __float_as_uint(level);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ float level_of_key(unsigned key) { return __uint_as_float((key >> 31) != 0 ? key & 0x7fffffffU : ~key); }

// Returns the number of k in [0, length) for which `holds(k)`; the whole block.
template <class Condition>
__device__ int count_in_block(int length, const Condition& holds) {
  int count = 0;
  for (int first = 0; first < length; first += kThreads) {
    const int k = first + static_cast<int>(threadIdx.x);
    count += __syncthreads_count(k < length && holds(k) ? 1 : 0);
  }
  return count;
}

// Returns the median of the levels `at(k)` for which `counts(k)`, bit by bit from the highest; the whole block.
template <class Level, class Counts>
__device__ float median_in_block(int length, const Level& at, const Counts& counts) {
  const int counting = count_in_block(length, counts);
  if (counting == 0) return kNoMedian_db;
  unsigned key = 0;
  for (unsigned bit = 0x80000000U; bit != 0; bit >>= 1) {
    const unsigned higher = key | bit;
    const int below = count_in_block(length, [&](int k) { return counts(k) && order_key(at(k)) < higher; });
    if (below <= median_rank(counting)) key = higher;
  }
  return level_of_key(key);
}

// One block per line.
__global__ void __launch_bounds__(kThreads)
    line_median_kernel(const float* __restrict__ db, const float* __restrict__ levels, LineSteps s,
                       float* __restrict__ medians) {
  const long long first = blockIdx.x * s.line_step;
  const float median = median_in_block(
      s.length, [&](int k) { return levels[first + k * s.level_step]; },
      [&](int k) { return level_counts(db[first + k * s.level_step]); });
  if (threadIdx.x == 0) medians[blockIdx.x] = median;
}

// One block per line.
__global__ void __launch_bounds__(kThreads)
    running_median_kernel(const float* __restrict__ medians, int lines, float* __restrict__ trend) {
  const int line = static_cast<int>(blockIdx.x);
  const int reach = trend_reach(line, lines);
  const float* window = medians + (line - reach);
  const float median = median_in_block(
      2 * reach + 1, [&](int k) { return window[k]; }, [&](int k) { return window[k] < kNoMedian_db; });
  if (threadIdx.x == 0) trend[line] = median;
}

__global__ void __launch_bounds__(kThreads)
    subtract_trend_kernel(PictureView db, ImageLines lines, const float* __restrict__ trend,
                          const ObjectFindings* __restrict__ findings, float* __restrict__ levels) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= db.nx * db.nz || !level_counts(db.db[i])) return;
  const int line = lines == ImageLines::rows ? i / db.nx : i % db.nx;
  levels[i] = without_trend(levels[i], trend[line], static_cast<float>(findings->background.median_db));
}

// Same as ObjectPlan::threshold_db().
__global__ void threshold_kernel(double sigmas, ObjectKind wanted, ObjectFindings* findings) {
  const Background& b = findings->smoothed;
  const double reach_db = sigmas * b.sigma_db;
  const double threshold_db = wanted == ObjectKind::dark ? b.mean_db - reach_db : b.mean_db + reach_db;
  findings->threshold_db = b.pixels > 0 ? threshold_db : 0.0;
}

unsigned blocks_of(int n) { return blocks_for(static_cast<std::size_t>(n)); }

}  // namespace

void count_levels(const float* db, int n, unsigned* histogram, StreamView stream) {
  CUDA_CHECK(cudaMemsetAsync(histogram, 0, kHistogramPlaces * sizeof(unsigned), stream.get()));
  const unsigned blocks = blocks_of(n) < kHistogramBlocks ? blocks_of(n) : kHistogramBlocks;
  histogram_kernel<<<blocks, kThreads, 0, stream.get()>>>(db, n, histogram);
  CUDA_CHECK_LAUNCH("count_levels");
}

void find_background(const float* db, const float* levels, int n, double kappa, const LevelSpace& space,
                     ObjectFindings* findings, Background* background, StreamView stream) {
  double* sum = space.sums;
  double* sum_of_squares = space.sums + n + 1;
  key_kernel<<<blocks_of(n), kThreads, 0, stream.get()>>>(db, levels, n, space.sorted);
  CUDA_CHECK_LAUNCH("find_background, levels");
  const float* sorted = sort_levels(space.sorted, space.sorted + n, n, space.scratch, stream);
  count_kernel<<<1, 1, 0, stream.get()>>>(sorted, n, findings);
  CUDA_CHECK_LAUNCH("find_background, count");
  deviation_kernel<<<blocks_of(n + 1), kThreads, 0, stream.get()>>>(sorted, n, findings, sum, sum_of_squares);
  CUDA_CHECK_LAUNCH("find_background, deviations");
  sum_up(sum, n + 1, space.scratch, stream);
  sum_up(sum_of_squares, n + 1, space.scratch, stream);
  clip_kernel<<<1, 1, 0, stream.get()>>>(sorted, sum, sum_of_squares, kappa, findings, background);
  CUDA_CHECK_LAUNCH("find_background, clipping");
}

void fill_gaps(const float* db, int n, const ObjectFindings* findings, float* filled, StreamView stream) {
  fill_kernel<<<blocks_of(n), kThreads, 0, stream.get()>>>(db, n, findings, filled);
  CUDA_CHECK_LAUNCH("fill_gaps");
}

void remove_trend(const PictureView& db, ImageLines lines, const TrendSpace& space, const ObjectFindings* findings,
                  float* levels, StreamView stream) {
  const LineSteps s = steps_of(lines, db.nx, db.nz);
  const auto blocks = static_cast<unsigned>(s.lines);
  line_median_kernel<<<blocks, kThreads, 0, stream.get()>>>(db.db, levels, s, space.medians);
  CUDA_CHECK_LAUNCH("remove_trend, medians");
  running_median_kernel<<<blocks, kThreads, 0, stream.get()>>>(space.medians, s.lines, space.trend);
  CUDA_CHECK_LAUNCH("remove_trend, running median");
  subtract_trend_kernel<<<blocks_of(db.nx * db.nz), kThreads, 0, stream.get()>>>(db, lines, space.trend, findings,
                                                                                 levels);
  CUDA_CHECK_LAUNCH("remove_trend, difference");
}

void find_threshold(double sigmas, ObjectKind wanted, ObjectFindings* findings, StreamView stream) {
  threshold_kernel<<<1, 1, 0, stream.get()>>>(sigmas, wanted, findings);
  CUDA_CHECK_LAUNCH("find_threshold");
}

// Sums over the pixels of each object, selection of large enough objects, and their numbers. Sums are of integers: the
// order of the atomics does not matter. A warp first adds its pixels of one object, as an image that is one object
// would otherwise serialise at one address.

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
