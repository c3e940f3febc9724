// Minimum variance (Capon): x, the N channels that count (store_channels()), has P = N - L + 1 subarrays x_p of L
// channels; R = sum over rows and p of x_p x_p^H, loaded by (delta tr R / L) I; v = R^-1 1 / (1^T R^-1 1); the pixel is
// (W / P) sum_p v^H x_p, W the sum of the weights of the elements (Synnevag, Austeng, Holm, IEEE TUFFC 56:1868, 2009;
// Asen et al., IEEE TUFFC 61:76, 2014). The vector is reduced to the channels that have a sample at the pixel, and L
// with it: a silent one would get all of the weight.
#pragma once

#include "dsp/methods/element_rows.h"

namespace echoloop {

struct MinimumVariance {
  float subarray;  // L / N
  float loading;   // delta

  [[nodiscard]] ECHO_HD int length_of(int channels) const {
    const int length = floor_to_int(subarray * static_cast<float>(channels) + 1e-3f);
    return length < 1 ? 1 : length;
  }

  // Returns the scratch for n channels: their places, v, and the lower triangle of R.
  [[nodiscard]] ECHO_HD int n_scratch(int n) const {
    const int length = length_of(n);
    return n + length + length * (length + 1) / 2;
  }

  // Returns v as left by pixel() if two or more channels count: length_of() values.
  [[nodiscard]] ECHO_HD Strided weights_in(Strided scratch, int n) const { return {&scratch[n], scratch.step}; }

  // n: channels of a slice.
  [[nodiscard]] ECHO_HD Complex pixel(const StridedRows& rows, int n, Strided scratch) const {
    const Strided places = scratch;
    int channels = 0;
    for (int i = 0; i < n; ++i) {
      const Complex x = rows.own(i);
      if (x.re != 0.0f || x.im != 0.0f) places[channels++] = {static_cast<float>(i), 0.0f};
    }
    if (channels == 0) return {0.0f, 0.0f};
    const float all = rows.own(n).re;
    const ChannelsThatCount x{rows, places, slice_factor([&](int i) { return rows.own(i); }, n)};
    if (channels == 1) return all / x.factor * x(rows.centre, 0);
    const int length = length_of(channels);
    const int count = channels - length + 1;
    const Strided v = weights_in(scratch, n);
    const Strided r{&scratch[n + length], scratch.step};
    covariance(x, {length, count}, r);
    load(length, r);
    factorise(length, r);
    weights(length, r, v);
    Complex sum{0.0f, 0.0f};
    for (int l = 0; l < length; ++l) {
      Complex along{0.0f, 0.0f};
      for (int p = 0; p < count; ++p) along = along + x(rows.centre, l + p);
      sum = sum + conjugate(v[l]) * along;
    }
    return all / (x.factor * static_cast<float>(count)) * sum;
  }

 private:
  struct Subarrays {
    int length;  // L
    int count;   // P
  };

  // Channels that count, scaled by the power of two of the pixel's own row.
  struct ChannelsThatCount {
    const StridedRows& rows;
    Strided places;
    float factor;

    [[nodiscard]] ECHO_HD Complex operator()(int row, int k) const {
      return factor * rows.at(row, static_cast<int>(places[k].re));
    }
  };

  static ECHO_HD int at(int i, int j) { return i * (i + 1) / 2 + j; }  // of row i, column j <= i

  // Computes R(j + m, j) = sum of z_m[k], k = j .. j + P - 1, z_m[k] = sum over rows of x[k + m] conj(x[k]). The
  // windows of all j share their middle; their remaining terms are added on both sides, and nothing is subtracted.
  static ECHO_HD void covariance(const ChannelsThatCount& x, Subarrays s, Strided r) {
    for (int m = 0; m < s.length; ++m) {
      const int last = s.length - 1 - m;
      const auto z = [&](int k) {
        Complex sum{0.0f, 0.0f};
        for (int row = 0; row < x.rows.count; ++row) sum = sum + x(row, k + m) * conjugate(x(row, k));
        return sum;
      };
      Complex sum{0.0f, 0.0f};
      for (int k = last; k < s.count; ++k) sum = sum + z(k);
      r[at(last + m, last)] = sum;
      for (int j = last - 1; j >= 0; --j) {
        sum = sum + z(j);
        r[at(j + m, j)] = sum;
      }
      sum = {0.0f, 0.0f};
      for (int j = 1; j <= last; ++j) {
        sum = sum + z(s.count + j - 1);
        r[at(j + m, j)] = r[at(j + m, j)] + sum;
      }
    }
  }

  ECHO_HD void load(int length, Strided r) const {
    float trace = 0.0f;
    for (int i = 0; i < length; ++i) trace += r[at(i, i)].re;
    for (int i = 0; i < length; ++i) r[at(i, i)].re += loading * trace / static_cast<float>(length);
  }

  // Factorises R = L D L^H in place: D on the diagonal.
  static ECHO_HD void factorise(int length, Strided r) {
    for (int i = 0; i < length; ++i) {
      for (int j = 0; j < i; ++j) {
        Complex sum = r[at(i, j)];
        for (int k = 0; k < j; ++k) sum = sum + Complex{-1.0f, 0.0f} * (r[at(i, k)] * conjugate(r[at(j, k)]));
        r[at(i, j)] = sum;  // L(i, j) D(j)
      }
      float own = r[at(i, i)].re;
      for (int j = 0; j < i; ++j) {
        const Complex t = r[at(i, j)];
        const Complex l = 1.0f / r[at(j, j)].re * t;
        own -= t.re * l.re + t.im * l.im;
        r[at(i, j)] = l;
      }
      r[at(i, i)] = {own, 0.0f};
    }
  }

  // Computes v = R^-1 1 over its sum.
  static ECHO_HD void weights(int length, Strided r, Strided v) {
    for (int i = 0; i < length; ++i) {
      Complex y{1.0f, 0.0f};
      for (int k = 0; k < i; ++k) y = y + Complex{-1.0f, 0.0f} * (r[at(i, k)] * v[k]);
      v[i] = y;
    }
    for (int i = 0; i < length; ++i) v[i] = 1.0f / r[at(i, i)].re * v[i];
    Complex sum{0.0f, 0.0f};
    for (int i = length - 1; i >= 0; --i) {
      Complex u = v[i];
      for (int k = i + 1; k < length; ++k) u = u + Complex{-1.0f, 0.0f} * (conjugate(r[at(k, i)]) * v[k]);
      v[i] = u;
      sum = sum + u;
    }
    for (int i = 0; i < length; ++i) v[i] = 1.0f / sum.re * v[i];
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::minimum_variance>, const MethodSettings& s, const Run& run) {
  run(MinimumVariance{s.subarray, s.loading});
}

}  // namespace echoloop
