#include "source/phantom_scene.h"

// Compiles one copy for AVX2 with FMA, one for the base machine, selected at program start. Not under sanitizers: the
// selector (an ifunc) would run before their runtime. GCC vectorises such loops from -O3 on.
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__) && !defined(ECHO_SANITIZED)
#define ECHO_HOT __attribute__((target_clones("arch=haswell", "default"), optimize("O3", "no-trapping-math")))
#else
#define ECHO_HOT __attribute__((optimize("O3", "no-trapping-math")))
#endif
#else
#define ECHO_HOT
#endif

namespace echoloop::kernels {
namespace {

// Returns 1/sqrt(r2): the exponent halved by an integer shift, then three Newton steps (relative error below 3e-7, i.e.
// picoseconds). sqrtf may set errno, which prevents vectorisation of a loop.
[[gnu::always_inline]] inline float inverse_root(float r2) {
  float inverse = __builtin_bit_cast(float, 0x5f3759dfU - (__builtin_bit_cast(std::uint32_t, r2) >> 1));
  inverse *= 1.5F - 0.5F * r2 * inverse * inverse;
  inverse *= 1.5F - 0.5F * r2 * inverse * inverse;
  inverse *= 1.5F - 0.5F * r2 * inverse * inverse;
  return inverse;
}

}  // namespace

ECHO_HOT void plane_wave_positions(const float* __restrict x, const float* __restrict z, std::size_t n, float kx,
                                   float kz, float offset, float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = offset + (x[i] * kx + z[i] * kz);
}

ECHO_HOT void diverging_wave_positions(const float* __restrict x, const float* __restrict z, std::size_t n,
                                       float source_x_m, float source_z_m, float samples_per_m, float offset,
                                       float* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) {
    const float dx = x[i] - source_x_m;
    const float dz = z[i] - source_z_m;
    const float r2 = dx * dx + dz * dz;
    out[i] = offset + r2 * inverse_root(r2) * samples_per_m;
  }
}

ECHO_HOT void element_echoes(const float* __restrict x, const float* __restrict z, const float* __restrict amplitude,
                             std::size_t n, const ElementGeometry& element, float* __restrict position,
                             float* __restrict weight) {
  const float x_m = element.x_m;
  const float samples_per_m = element.samples_per_m;
  const float c0 = element.directivity[0];
  const float c1 = element.directivity[1];
  const float c2 = element.directivity[2];
  const float c3 = element.directivity[3];
  const float c4 = element.directivity[4];
  for (std::size_t i = 0; i < n; ++i) {
    const float dx = x[i] - x_m;
    const float r2 = dx * dx + z[i] * z[i];
    const float inverse = inverse_root(r2);
    const float cosine = z[i] * inverse;
    const float s2 = 1.0F - cosine * cosine;
    const float sinc = c0 + s2 * (c1 + s2 * (c2 + s2 * (c3 + s2 * c4)));
    position[i] = r2 * inverse * samples_per_m;
    weight[i] = amplitude[i] * cosine * sinc;
  }
}

ECHO_HOT void accumulate(const float* __restrict there, const float* __restrict back, const float* __restrict weight,
                         std::size_t n, int limit, float* __restrict line) {
  alignas(64) std::uint32_t index[kBlock];
  alignas(64) float low[kBlock];
  alignas(64) float high[kBlock];
  const auto last = static_cast<std::uint32_t>(limit);
  for (std::size_t i = 0; i < n; ++i) {
    const float position = there[i] + back[i];
    const int whole = static_cast<int>(position);
    const float part = position - static_cast<float>(whole);
    const auto at = static_cast<std::uint32_t>(whole);  // negative: beyond every limit
    index[i] = at < last ? at : last;
    high[i] = weight[i] * part;
    low[i] = weight[i] - high[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    float* const bin = line + index[i];
    bin[0] += low[i];
    bin[1] += high[i];
  }
}

ECHO_HOT void split_phases(const float* __restrict line, std::size_t n, std::size_t stride, float* __restrict phases) {
  float* __restrict p0 = phases;
  float* __restrict p1 = phases + stride;
  float* __restrict p2 = phases + 2 * stride;
  float* __restrict p3 = phases + 3 * stride;
  for (std::size_t m = 0; m < n; ++m) {
    p0[m] = line[4 * m];
    p1[m] = line[4 * m + 1];
    p2[m] = line[4 * m + 2];
    p3[m] = line[4 * m + 3];
  }
}

ECHO_HOT void pulse_filter(const float* __restrict phases, std::size_t stride, const float* __restrict taps,
                           std::size_t n_taps, std::size_t n, float* __restrict out) {
  // Eight taps at a time over the whole line: one load and store of the output for eight multiplications.
  for (std::size_t m = 0; m < n; ++m) out[m] = 0.0F;
  for (std::size_t k = 0; k < n_taps; k += kTapBlock) {
    const float* const t = taps + k;
    const float* const p0 = phases + k / kOversampling;
    const float* const p1 = p0 + stride;
    const float* const p2 = p1 + stride;
    const float* const p3 = p2 + stride;
    for (std::size_t m = 0; m < n; ++m) {
      const float first = t[0] * p0[m] + t[1] * p1[m] + t[2] * p2[m] + t[3] * p3[m];
      const float second = t[4] * p0[m + 1] + t[5] * p1[m + 1] + t[6] * p2[m + 1] + t[7] * p3[m + 1];
      out[m] += first + second;
    }
  }
}

ECHO_HOT void quantise(const float* __restrict moving, const float* __restrict fixed, const float* __restrict gain,
                       std::size_t n, std::int16_t* __restrict out) {
  for (std::size_t m = 0; m < n; ++m) {
    float value = (moving[m] + fixed[m]) * gain[m];
    value = value < -32767.0F ? -32767.0F : value;
    value = value > 32767.0F ? 32767.0F : value;
    // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer in the vector unit.
    const float rounded = (value + 12582912.0F) - 12582912.0F;
    out[m] = static_cast<std::int16_t>(static_cast<int>(rounded));
  }
}

ECHO_HOT void add_noise(const std::int16_t* __restrict in, std::size_t n, std::uint32_t key, float sigma,
                        std::int16_t* __restrict out) {
  // Four uniform bytes have mean 4 * 127.5 and variance 4 * (256^2 - 1) / 12.
  const float scale = sigma / __builtin_sqrtf(65535.0F / 3.0F);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9e3779b9U ^ key;
    h ^= h >> 16;  // lowbias32 (Wellons, "Prospecting for hash functions")
    h *= 0x7feb352dU;
    h ^= h >> 15;
    h *= 0x846ca68bU;
    h ^= h >> 16;
    const std::uint32_t pairs = (h & 0x00ff00ffU) + ((h >> 8) & 0x00ff00ffU);
    const auto bytes = static_cast<int>((pairs + (pairs >> 16)) & 0xffffU);
    const float noise = (scale * static_cast<float>(bytes - 510) + 12582912.0F) - 12582912.0F;
    int value = in[i] + static_cast<int>(noise);
    value = value < -32767 ? -32767 : value;
    value = value > 32767 ? 32767 : value;
    out[i] = static_cast<std::int16_t>(value);
  }
}

}  // namespace echoloop::kernels
