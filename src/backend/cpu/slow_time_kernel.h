// Loops of SlowTimeSteps. CMakeLists.txt compiles them once per instruction set: ECHO_ISA is the namespace,
// ECHO_VECTOR_BYTES the size of a vector. No standard library here, see das_rows_kernel.h.
#include <cstddef>

#include "backend/cpu/isa_loops.h"

namespace echoloop::ECHO_ISA {

typedef float SlowVector __attribute__((vector_size(ECHO_VECTOR_BYTES), aligned(4), may_alias));
inline constexpr int kSlowVector = ECHO_VECTOR_BYTES / 4;
static_assert(kSlowTimePixels % (2 * kSlowVector) == 0, "two vectors at once");

[[gnu::always_inline]] static inline SlowVector& vector_at(float* p) { return *reinterpret_cast<SlowVector*>(p); }
[[gnu::always_inline]] static inline const SlowVector& vector_at(const float* p) {
  return *reinterpret_cast<const SlowVector*>(p);
}

static std::size_t plane(int frame, int part, int n_pixels) {
  return (2 * static_cast<std::size_t>(frame) + static_cast<std::size_t>(part)) * static_cast<std::size_t>(n_pixels);
}

static void split(const Complex* __restrict pixels, int n, int n_pixels, float* __restrict planes) {
  for (int i = 0; i < n; ++i) {
    planes[i] = pixels[i].re;
    planes[n_pixels + i] = pixels[i].im;
  }
  for (int i = n; i < n_pixels; ++i) planes[i] = planes[n_pixels + i] = 0.0f;
}

[[gnu::always_inline]] static inline void add_lanes(const SlowVector& re, const SlowVector& im, double* to) {
  float sum_re = 0.0f;
  float sum_im = 0.0f;
  for (int lane = 0; lane < kSlowVector; ++lane) {
    sum_re += re[lane];
    sum_im += im[lane];
  }
  to[0] += static_cast<double>(sum_re);
  to[1] += static_cast<double>(sum_im);
}

// Adds kI x kJ products of two frames each.
template <int kI, int kJ>
[[gnu::always_inline]] static inline void gram_tile(const float* planes, int n, int n_pixels, int i0, int j0,
                                                    double* gram) {
  SlowVector re[kI][kJ] = {};
  SlowVector im[kI][kJ] = {};
  for (int p = 0; p < n_pixels; p += kSlowVector) {
#pragma GCC unroll 2
    for (int j = 0; j < kJ; ++j) {
      const SlowVector b_re = vector_at(planes + plane(j0 + j, 0, n_pixels) + p);
      const SlowVector b_im = vector_at(planes + plane(j0 + j, 1, n_pixels) + p);
#pragma GCC unroll 2
      for (int i = 0; i < kI; ++i) {
        const SlowVector a_re = vector_at(planes + plane(i0 + i, 0, n_pixels) + p);
        const SlowVector a_im = vector_at(planes + plane(i0 + i, 1, n_pixels) + p);
        re[i][j] += a_re * b_re + a_im * b_im;
        im[i][j] += a_re * b_im - a_im * b_re;
      }
    }
  }
  for (int i = 0; i < kI; ++i) {
    for (int j = 0; j < kJ; ++j) {
      if (i0 + i > j0 + j) continue;
      add_lanes(re[i][j], im[i][j],
                gram + 2 * (static_cast<std::size_t>(i0 + i) * static_cast<std::size_t>(n) +
                            static_cast<std::size_t>(j0 + j)));
    }
  }
}

static void gram(const float* planes, int n, int n_pixels, int first_new, double* out) {
  int j = first_new;
  for (; j + 1 < n; j += 2) {
    int i = 0;
    for (; i < j; i += 2) gram_tile<2, 2>(planes, n, n_pixels, i, j, out);
    if (i == j) gram_tile<2, 2>(planes, n, n_pixels, i, j, out);
    if (i == j + 1) gram_tile<1, 1>(planes, n, n_pixels, i, j + 1, out);
  }
  for (; j < n; ++j)
    for (int i = 0; i <= j; ++i) gram_tile<1, 1>(planes, n, n_pixels, i, j, out);
}

// Computes kT outputs of two vectors of pixels.
template <int kT>
[[gnu::always_inline]] static inline void filter_tile(const float* planes, const float* w, int n, int n_pixels, int t0,
                                                      int p, float* y) {
  SlowVector re[kT][2] = {};
  SlowVector im[kT][2] = {};
  const auto size = static_cast<std::size_t>(n);
  for (int s = 0; s < n; ++s) {
    const float* x = planes + plane(s, 0, n_pixels) + p;
    const float* row = w + 2 * (static_cast<std::size_t>(s) * size + static_cast<std::size_t>(t0));
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const SlowVector x_re = vector_at(x + v * kSlowVector);
      const SlowVector x_im = vector_at(x + n_pixels + v * kSlowVector);
#pragma GCC unroll 2
      for (int t = 0; t < kT; ++t) {
        const float w_re = row[2 * t];
        const float w_im = row[2 * t + 1];
        re[t][v] += x_re * w_re - x_im * w_im;
        im[t][v] += x_re * w_im + x_im * w_re;
      }
    }
  }
  for (int t = 0; t < kT; ++t) {
    for (int v = 0; v < 2; ++v) {
      vector_at(y + plane(t0 + t, 0, n_pixels) + p + v * kSlowVector) = re[t][v];
      vector_at(y + plane(t0 + t, 1, n_pixels) + p + v * kSlowVector) = im[t][v];
    }
  }
}

static void sum_lags(const float* y, int n, int n_pixels, float* __restrict power, float* __restrict r1) {
  for (int p = 0; p < n_pixels; p += kSlowVector) {
    SlowVector sum = {};
    SlowVector lag_re = {};
    SlowVector lag_im = {};
    SlowVector before_re = {};
    SlowVector before_im = {};
    for (int t = 0; t < n; ++t) {
      const SlowVector re = vector_at(y + plane(t, 0, n_pixels) + p);
      const SlowVector im = vector_at(y + plane(t, 1, n_pixels) + p);
      sum += re * re + im * im;
      lag_re += re * before_re + im * before_im;
      lag_im += im * before_re - re * before_im;
      before_re = re;
      before_im = im;
    }
    vector_at(power + p) = sum;
    vector_at(r1 + p) = lag_re;
    vector_at(r1 + n_pixels + p) = lag_im;
  }
}

static void filter(const float* planes, const float* w, int n, int n_pixels, float* y, float* power, float* r1) {
  for (int p = 0; p < n_pixels; p += 2 * kSlowVector) {
    int t = 0;
    for (; t + 1 < n; t += 2) filter_tile<2>(planes, w, n, n_pixels, t, p, y);
    if (t < n) filter_tile<1>(planes, w, n, n_pixels, t, p, y);
  }
  sum_lags(y, n, n_pixels, power, r1);
}

const SlowTimeSteps kSlowTimeSteps{split, gram, filter};

}  // namespace echoloop::ECHO_ISA
