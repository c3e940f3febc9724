// Histogram, background and threshold of an image in dB. The background stays on the device: levels are sorted, those
// that do not count last, and one thread runs clip_levels() over them and their running sums.
#include <cmath>

#include "backend/cuda/kernels/object_kernels.h"
#include "backend/cuda/runtime/launch.cuh"
#include "dsp/objects.h"

namespace echoloop::cuda {
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
  for (int i = static_cast<int>(threadIdx.x); i < kHistogramPlaces; i += kThreads) {
    if (counts[i] > 0) atomicAdd(&histogram[i], counts[i]);
  }
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

}  // namespace echoloop::cuda
