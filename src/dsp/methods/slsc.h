// Short-lag spatial coherence: C(m) = Re sum s_e conj(s_{e+m}) / sqrt(sum |s_e|^2 sum |s_{e+m}|^2), sums over the pairs
// of elements that count and over the rows; the pixel is V, the mean of C over the lags m = 1 .. M with pairs, in [-1,
// 1] (Lediju et al., IEEE TUFFC 58:1377, 2011; Hyun et al., IEEE TUFFC 64:1101, 2017).
#pragma once

#include "dsp/methods/element_rows.h"

namespace echoloop {

struct ShortLagCoherence {
  int lags;  // M

  // Returns the values of a row that are summed over rows: (pairs, energy of e) of each lag, energies of e + m of two
  // lags each, and the factor of the samples.
  [[nodiscard]] ECHO_HD int n_terms() const { return factor_term() + 1; }
  [[nodiscard]] ECHO_HD int factor_term() const { return lags + (lags + 1) / 2; }
  // Returns the energy of e + m for lag m + 1.
  ECHO_HD float& right_term(const Strided& to, int m) const {
    Complex& two = to[lags + m / 2];
    return m % 2 == 0 ? two.re : two.im;
  }

  // Stores the factor, and clears the unused value of an odd number of lags.
  ECHO_HD void store_factor(const Strided& to, float factor) const {
    to[factor_term()] = {factor, 0.0f};
    if (lags % 2 != 0) to[factor_term() - 1].im = 0.0f;
  }

  // element(e): s_e, 0 if e does not count.
  template <class Elements>
  ECHO_HD void store_terms(const Elements& element, int n, Strided to) const {
    const float factor = slice_factor(element, n);
    for (int m = 1; m <= lags; ++m) {
      float pairs = 0.0f;
      float left = 0.0f;
      float right = 0.0f;
      for (int e = 0; e + m < n && factor > 0.0f; ++e) {
        const Complex a = factor * element(e);
        const Complex b = factor * element(e + m);
        const float of_a = a.re * a.re + a.im * a.im;
        const float of_b = b.re * b.re + b.im * b.im;
        const float count = of_a > 0.0f && of_b > 0.0f ? 1.0f : 0.0f;
        pairs += a.re * b.re + a.im * b.im;
        left += count * of_a;
        right += count * of_b;
      }
      to[m - 1] = {pairs, left};
      right_term(to, m - 1) = right;
    }
    store_factor(to, factor);
  }

  [[nodiscard]] ECHO_HD float pixel(const StridedRows& terms) const {
    const auto factor = [&](int row) { return terms.at(row, factor_term()).re; };
    float common = terms.own(factor_term()).re;
    float largest = common;
    for (int row = 0; row < terms.count; ++row) {
      common = common_factor(common, factor(row));
      largest = larger_of(largest, factor(row));
    }
    // The usual case; terms of silent rows are 0.
    if (common == largest) return mean_correlation(terms, [](int /*row*/) { return 1.0f; });
    return mean_correlation(terms, [&](int row) { return power_ratio(common, factor(row)); });
  }

  // Returns the unit of the sum over rows, their smallest factor (that of the largest samples): squares of ratios stay
  // below 1. 0: the pixel's own row is silent, and nothing is added.
  static ECHO_HD float common_factor(float common, float factor) {
    return factor > 0.0f && factor < common ? factor : common;
  }
  static ECHO_HD float power_ratio(float common, float factor) {
    const float ratio = factor > 0.0f ? common / factor : 0.0f;
    return ratio * ratio;
  }
  static ECHO_HD float mean_of(float sum, float count) {
    const float mean = count > 0.0f ? sum / count : 0.0f;
    return mean > 1.0f ? 1.0f : mean < -1.0f ? -1.0f : mean;
  }

 private:
  // ratio(row): factor of the row's terms. Two lags at a time share a term.
  template <class Ratio>
  [[nodiscard]] ECHO_HD float mean_correlation(const StridedRows& terms, const Ratio& ratio) const {
    float sum = 0.0f;
    float count = 0.0f;
    const auto add = [&](float pairs, float left, float right) {
      constexpr float kSmallest = 0x1p-126f;                   // with an inverse root
      if (!(left >= kSmallest && right >= kSmallest)) return;  // no pairs
      sum += pairs * inverse_root(left) * inverse_root(right);
      count += 1.0f;
    };
    for (int m = 0; m < lags; m += 2) {
      const int next = m + 1 < lags ? m + 1 : m;
      Complex of_m{}, of_next{}, right{};
      for (int row = 0; row < terms.count; ++row) {
        const float r = ratio(row);
        of_m = of_m + r * terms.at(row, m);
        of_next = of_next + r * terms.at(row, next);
        right = right + r * terms.at(row, lags + m / 2);
      }
      add(of_m.re, of_m.im, right.re);
      if (next > m) add(of_next.re, of_next.im, right.im);
    }
    return mean_of(sum, count);
  }
};

}  // namespace echoloop
