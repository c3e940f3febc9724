// Filters of a finished picture in dB, one output pixel at a time: median, Gaussian, bilateral; and the step of a
// temporal average. Beyond an edge the edge's own pixels repeat. Reads one picture, writes another: no order matters.
#pragma once

#include <cmath>

#include "core/hd.h"

namespace echoloop {

// A picture in dB, [nz][nx].
struct PictureView {
  const float* db;
  int nx, nz;
};

ECHO_HD float nearest_pixel(const PictureView& p, int ix, int iz) {
  const int x = ix < 0 ? 0 : ix >= p.nx ? p.nx - 1 : ix;
  const int z = iz < 0 ? 0 : iz >= p.nz ? p.nz - 1 : iz;
  return p.db[static_cast<long long>(z) * p.nx + x];
}

// Median of the square of 2 kRadius + 1 pixels a side: the smaller half is selected, by minima and maxima only.
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

// `at(k)`: the level k pixels further along.
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
// pixels, 7 x 7 of them; level differences from the median of the 3 x 3 in the middle, so that a single dark pixel is
// no edge. Speckle, whose levels spread by 5.6 dB, is averaged; edges far above it stay.
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

// Exponential average of amplitudes; `keep`: weight of what was before.
ECHO_HD float averaged(float before, float now, float keep) { return now + keep * (before - now); }

}  // namespace echoloop
