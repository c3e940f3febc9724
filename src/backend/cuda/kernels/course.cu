// Stages of the course recipe: FIR, nearest-sample summation, and the weights between the transforms along depth. As
// dsp/course.h, with positions in double precision; only the order of sums differs.
#include <cstdint>

#include "backend/cuda/kernels/invalid.cuh"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.h"

namespace echoloop::cuda {
namespace {

// FIR outputs per thread: neighbouring samples, so that a value is read from shared memory once for all. Twelve:
// vectors of four, and reads at this stride have no bank conflicts.
constexpr int kFirThreads = 128;
constexpr int kRun = 12;
constexpr int kFirTile = kFirThreads * kRun;
constexpr int kOlder = kCourseTaps - 1 - (kCourseTaps - 1) / 2;  // values before the first sample needed
constexpr int kFirValues = kFirTile + kCourseTaps;               // values of a tile, and one to fill vectors of four

// taps by value: a constant operand of the multiplication costs nothing.
template <class Sample>
__global__ void __launch_bounds__(kFirThreads)
    fir_kernel(const Sample* __restrict__ raw, const __grid_constant__ CourseTaps taps, CourseLines lines,
               float* __restrict__ filtered) {
  const int n_samples = lines.n_samples;
  __shared__ __align__(16) float values[kFirValues];
  const long long line = static_cast<long long>(blockIdx.x) * n_samples;
  const int first = static_cast<int>(blockIdx.y) * kFirTile;
  const int me = static_cast<int>(threadIdx.x);
  unsigned invalid = 0;
  for (int i = me; i < kFirValues; i += kFirThreads) {
    const int k = first - kOlder + i;
    unsigned here = 0;
    values[i] = k >= 0 && k < n_samples ? read_sample(raw[line + k], here) : 0.0f;
    if (k >= first && k < first + kFirTile) invalid += here;  // tiles overlap
  }
  count_invalid(lines.invalid, static_cast<int>(blockIdx.x), invalid);
  __syncthreads();
  float sums[kRun] = {};
  const auto* mine = reinterpret_cast<const float4*>(values + me * kRun);
#pragma unroll
  for (int v = 0; v < (kRun + kCourseTaps) / 4; ++v) {
    const float4 four = mine[v];
    const float value[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int r = 0; r < kRun; ++r) {
        const int tap = kCourseTaps - 1 - (4 * v + i - r);  // the oldest value is multiplied by the last tap
        if (tap >= 0 && tap < kCourseTaps) sums[r] += value[i] * taps.h[tap];
      }
    }
  }
  __syncthreads();  // the values' memory is reused to write whole lines
  auto* out = reinterpret_cast<float4*>(values + me * kRun);
#pragma unroll
  for (int q = 0; q < kRun / 4; ++q) out[q] = {sums[4 * q], sums[4 * q + 1], sums[4 * q + 2], sums[4 * q + 3]};
  __syncthreads();
  for (int i = me; i < kFirTile && first + i < n_samples; i += kFirThreads) filtered[line + first + i] = values[i];
}

// Summation: the elements are shared by kParts threads per pixel, and no loop is unrolled: waiting for samples needs as
// many threads as the device can hold, with 32 registers each. The receive path of a pixel serves kTogether transmits.
constexpr int kTileX = 16;
constexpr int kTileZ = 16;
constexpr int kParts = 4;
constexpr int kTogether = 3;

// Returns the sample nearest to a position, 0 outside the record.
__device__ float nearest_sample(const float* line, double position, long long last_bits) {
  // Non-negative doubles are ordered as their bits; negative ones are huge as unsigned numbers.
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(position));
  if (bits > static_cast<unsigned long long>(last_bits)) return 0.0f;
  constexpr double kOneIsLowestBit = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  return line[__double2loint(position + kOneIsLowestBit)];
}

// Returns the square root of a non-negative value within 2^-45: a float's, and one Heron step in double precision.
// Positions are then exact to 1e-9 samples; sqrt() needs too many registers for the loop.
__device__ double root(double value) {
  const auto inverse = static_cast<double>(rsqrtf(fmaxf(static_cast<float>(value), 1e-37f)));
  const double guess = value * inverse;
  return fma(fma(-guess, guess, value), 0.5 * inverse, guess);
}

// Returns the contribution of elements first, first + kParts, ... of a pixel for transmits t0 .. t0 + kTogether - 1.
__device__ float part_of_pixel(const CourseGeometry& g, const float* __restrict__ filtered, double x, double z, int t0,
                               int first) {
  const double samples_per_m = g.sampling_hz / g.sound_speed_m_s;
  const long long last_bits = __double_as_longlong(static_cast<double>(g.n_samples - 1));
  double there[kTogether];  // transmit delay, in samples from the start of the record
  const float* line[kTogether];
#pragma unroll
  for (int k = 0; k < kTogether; ++k) {
    const int t = min(t0 + k, g.n_tx - 1);
    there[k] = (z * g.tx_cos[t] + x * g.tx_sin[t]) * samples_per_m - g.tx_t0_s[t] * g.sampling_hz;
    line[k] = filtered + (static_cast<long long>(t) * g.n_el + first) * g.n_samples;
  }
  const int n_here = g.n_tx - t0;
  const long long step = static_cast<long long>(kParts) * g.n_samples;
  float sum = 0.0f;
#pragma unroll 1
  for (int e = first; e < g.n_el; e += kParts) {
    const double dx = x - g.element_x_m[e];
    const double back = root(fma(dx, dx, z * z));
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      if (k < n_here) sum += nearest_sample(line[k], fma(back, samples_per_m, there[k]), last_bits);
      line[k] += step;
    }
  }
  return sum;
}

__global__ void __launch_bounds__(kTileX* kTileZ* kParts, 2)
    nearest_kernel(const __grid_constant__ CourseGeometry g, const float* __restrict__ filtered,
                   float* __restrict__ rf_image, Complex* __restrict__ columns) {
  __shared__ float of_part[kParts][kTileZ][kTileX];
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  const int part = static_cast<int>(threadIdx.z);
  const bool inside = ix < g.nx && iz < g.nz;
  float sum = 0.0f;
  if (inside)
    for (int t0 = 0; t0 < g.n_tx; t0 += kTogether) sum += part_of_pixel(g, filtered, g.x_m[ix], g.z_m[iz], t0, part);
  of_part[part][threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (part != 0 || !inside) return;
  for (int p = 1; p < kParts; ++p) sum += of_part[p][threadIdx.y][threadIdx.x];
  const long long i = static_cast<long long>(iz) * g.nx + ix;
  rf_image[i] = sum;
  columns[i] = {sum, 0.0f};
}

__global__ void __launch_bounds__(kThreads) hilbert_kernel(Complex* columns, int nx, int nz) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<long long>(nx) * nz) return;
  columns[i] = hilbert_weight(static_cast<int>(i / nx), nz) / static_cast<float>(nz) * columns[i];
}

}  // namespace

void filter_course(const std::byte* raw, SampleType type, const CourseTaps& taps, const CourseLines& lines,
                   float* filtered, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>(lines.n_lines),
                    static_cast<unsigned>((lines.n_samples + kFirTile - 1) / kFirTile));
  if (type == SampleType::int16) {
    const auto* values = reinterpret_cast<const std::int16_t*>(raw);
    fir_kernel<<<blocks, kFirThreads, 0, stream.get()>>>(values, taps, lines, filtered);
  } else {
    const auto* values = reinterpret_cast<const float*>(raw);
    fir_kernel<<<blocks, kFirThreads, 0, stream.get()>>>(values, taps, lines, filtered);
  }
  CUDA_CHECK_LAUNCH("filter_course");
}

void sum_nearest(const CourseGeometry& g, const float* filtered, float* rf_image, Complex* columns, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>((g.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((g.nz + kTileZ - 1) / kTileZ));
  nearest_kernel<<<blocks, dim3(kTileX, kTileZ, kParts), 0, stream.get()>>>(g, filtered, rf_image, columns);
  CUDA_CHECK_LAUNCH("sum_nearest");
}

void weight_hilbert(Complex* columns, int nx, int nz, StreamView stream) {
  const std::size_t n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz);
  hilbert_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(columns, nx, nz);
  CUDA_CHECK_LAUNCH("weight_hilbert");
}

}  // namespace echoloop::cuda
