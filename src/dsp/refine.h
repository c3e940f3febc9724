// Filters of a formed image in dB, one output pixel at a time: median, Gaussian, bilateral, unsharp mask; and the step
// of a temporal average. Edge pixels are repeated outside the image. Reads one image, writes another: the order does
// not matter.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <variant>

#include "core/hd.h"
#include "core/params.h"

namespace echoloop {

// An image in dB, [nz][nx].
struct PictureView {
  const float* db;
  int nx, nz;
};

ECHO_HD float nearest_pixel(const PictureView& p, int ix, int iz) {
  const int x = ix < 0 ? 0 : ix >= p.nx ? p.nx - 1 : ix;
  const int z = iz < 0 ? 0 : iz >= p.nz ? p.nz - 1 : iz;
  return p.db[static_cast<long long>(z) * p.nx + x];
}

// Returns the median of a square of 2 kRadius + 1 pixels per side: selects the smaller half by minima and maxima.
template <int kRadius>
ECHO_HD float median_pixel(const PictureView& p, int ix, int iz) {
  constexpr int kSide = 2 * kRadius + 1;
  constexpr int kCount = kSide * kSide;
  float v[kCount];
  for (int i = 0; i < kCount; ++i) v[i] = nearest_pixel(p, ix + i % kSide - kRadius, iz + i / kSide - kRadius);
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int i = 0; i <= kCount / 2; ++i) {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int j = i + 1; j < kCount; ++j) {
      const float a = v[i];
      const float b = v[j];
      v[i] = a < b ? a : b;
      v[j] = a < b ? b : a;
    }
  }
  return v[kCount / 2];
}

// Symmetric taps of a smoothing filter: taps[k] for the neighbours k pixels away, taps[0] + 2 (taps[1] + ...) = 1.
inline constexpr int kMaxSmoothReach = 48;  // pixels
struct SmoothTaps {
  const float* taps;
  int reach;
};

// `at(k)`: level at distance k.
template <class At>
ECHO_HD float smooth_line(const SmoothTaps& t, const At& at) {
  float sum = t.taps[0] * at(0);
  for (int k = 1; k <= t.reach; ++k) sum += t.taps[k] * (at(-k) + at(k));
  return sum;
}

ECHO_HD float smooth_axial_pixel(const PictureView& p, const SmoothTaps& t, int ix, int iz) {
  return smooth_line(t, [&](int k) { return nearest_pixel(p, ix, iz + k); });
}

ECHO_HD float smooth_lateral_pixel(const PictureView& p, const SmoothTaps& t, int ix, int iz) {
  return smooth_line(t, [&](int k) { return nearest_pixel(p, ix + k, iz); });
}

// Bilateral filter (Tomasi and Manduchi, 1998): weights exp(-d^2 / (2 * 2^2)) exp(-(level difference)^2 per_db2), d in
// pixels, 7 x 7 of them; level differences from the median of the central 3 x 3, so that a single dark pixel is no
// edge. Speckle, whose levels spread by 5.6 dB, is averaged; edges far above it are kept.
inline constexpr int kBilateralRadius = 3;
ECHO_HD float bilateral_pixel(const PictureView& p, float per_db2, int ix, int iz) {
  const float own = median_pixel<1>(p, ix, iz);
  float sum = 0.0f;
  float weights = 0.0f;
  for (int dz = -kBilateralRadius; dz <= kBilateralRadius; ++dz) {
    for (int dx = -kBilateralRadius; dx <= kBilateralRadius; ++dx) {
      const float level = nearest_pixel(p, ix + dx, iz + dz);
      const float step = level - own;
      const float w = expf(-0.125f * static_cast<float>(dx * dx + dz * dz) - step * step * per_db2);
      sum += w * step;
      weights += w;
    }
  }
  return own + sum / weights;
}

// Unsharp mask: adds `strength` times the difference from a 5 x 5 binomial average (1 4 6 4 1 / 16 each way), within
// the range of levels of the surrounding 3 x 3 pixels: an edge becomes steeper, without a halo.
ECHO_HD float sharpened_pixel(const PictureView& p, float strength, int ix, int iz) {
  const float weights[3] = {0.375f, 0.25f, 0.0625f};  // by distance
  const float own = nearest_pixel(p, ix, iz);
  float average = 0.0f;
  float lowest = own, highest = own;
  for (int dz = -2; dz <= 2; ++dz) {
    for (int dx = -2; dx <= 2; ++dx) {
      const float level = nearest_pixel(p, ix + dx, iz + dz);
      average += weights[dx < 0 ? -dx : dx] * weights[dz < 0 ? -dz : dz] * (level - own);
      const bool beside = dx >= -1 && dx <= 1 && dz >= -1 && dz <= 1;
      if (beside && level < lowest) lowest = level;
      if (beside && level > highest) highest = level;
    }
  }
  const float sharp = own - strength * average;
  return sharp < lowest ? lowest : sharp > highest ? highest : sharp;
}

// Filters that make a pixel from its surroundings, with their parameters. A filter added here has its loop on the CPU
// and its kernel on the GPU.
template <int kRadius>
struct MedianFilter {
  ECHO_HD float operator()(const PictureView& p, int ix, int iz) const { return median_pixel<kRadius>(p, ix, iz); }
};
struct BilateralFilter {
  float per_db2;  // 1 / (2 sigma^2), sigma in dB
  ECHO_HD float operator()(const PictureView& p, int ix, int iz) const { return bilateral_pixel(p, per_db2, ix, iz); }
};
struct SharpenFilter {
  float strength;
  ECHO_HD float operator()(const PictureView& p, int ix, int iz) const { return sharpened_pixel(p, strength, ix, iz); }
};
using PixelFilter = std::variant<MedianFilter<1>, MedianFilter<2>, BilateralFilter, SharpenFilter>;

// Level difference treated as an edge by the bilateral filter at speckle_reduction 1, dB (one sigma).
inline constexpr double kSpeckleSpread_db = 12.0;

enum class FilterPlace { before_gaussians, after_gaussians };
struct FilterRow {
  FilterPlace place;
  std::optional<PixelFilter> (*of)(const RefineParams&);  // nullopt: not applied
};

// Returns the filters in the order of their application.
inline std::span<const FilterRow> filter_rows() {
  static constexpr FilterRow kRows[] = {
      {FilterPlace::before_gaussians,
       [](const RefineParams& p) -> std::optional<PixelFilter> {
         if (p.median == Median::off) return {};
         return p.median == Median::three ? PixelFilter(MedianFilter<1>()) : PixelFilter(MedianFilter<2>());
       }},
      {FilterPlace::after_gaussians,
       [](const RefineParams& p) -> std::optional<PixelFilter> {
         const double spread_db = kSpeckleSpread_db * p.speckle_reduction;
         if (!(spread_db > 0.0)) return {};
         return BilateralFilter{.per_db2 = static_cast<float>(0.5 / (spread_db * spread_db))};
       }},
      {FilterPlace::after_gaussians,
       [](const RefineParams& p) -> std::optional<PixelFilter> {
         if (!(p.edge_enhancement > 0.0)) return {};
         return SharpenFilter{.strength = static_cast<float>(p.edge_enhancement)};
       }},
  };
  return kRows;
}

// Returns the exponential average of amplitudes; `keep`: weight of `before`.
ECHO_HD float averaged(float before, float now, float keep) { return now + keep * (before - now); }

}  // namespace echoloop
