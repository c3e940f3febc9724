// Short-lag spatial coherence: C(m) = Re sum s_e conj(s_{e+m}) / sqrt(sum |s_e|^2 sum |s_{e+m}|^2), sums over the pairs
// of elements that count and over the rows; the pixel is V, the mean of C over the lags m = 1 .. M that have pairs, in
// [-1, 1] with its sign (Lediju et al., IEEE TUFFC 58:1377, 2011; Hyun et al., IEEE TUFFC 64:1101, 2017).
#pragma once

#include "dsp/methods/element_rows.h"

namespace echoloop {

struct ShortLagCoherence {
  int lags;  // M

  // Values of a row that are summed over rows: (pairs, energy of e) of each lag, energies of e + m of two lags each,
  // and the factor of the samples.
  [[nodiscard]] ECHO_HD int n_terms() const { return factor_term() + 1; }
  [[nodiscard]] ECHO_HD int factor_term() const { return lags + (lags + 1) / 2; }
  // Of lag m + 1.
  ECHO_HD float& right_term(const Strided& to, int m) const {
    Complex& two = to[lags + m / 2];
    return m % 2 == 0 ? two.re : two.im;
  }

  // element(e): s_e, 0 where e does not count.
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
    to[factor_term()] = {factor, 0.0f};
  }

  [[nodiscard]] ECHO_HD float pixel(const StridedRows& terms) const {
    float common = terms.own(factor_term()).re;
    for (int row = 0; row < terms.count; ++row) common = common_factor(common, terms.at(row, factor_term()).re);
    float sum = 0.0f;
    float count = 0.0f;
    for (int m = 1; m <= lags; ++m) {
      float c = 0.0f;
      if (correlation(terms, m, common, c)) count += 1.0f;
      sum += c;
    }
    return mean_of(sum, count);
  }

  // Rows are added in units of their smallest factor, that of their largest samples: squares of ratios stay below 1.
  // 0: the pixel's own row is silent, and nothing is added.
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
  // C(m) from stored terms; 0 and false without pairs.
  [[nodiscard]] ECHO_HD bool correlation(const StridedRows& terms, int m, float common, float& c) const {
    float pairs = 0.0f;
    float left = 0.0f;
    float right = 0.0f;
    for (int row = 0; row < terms.count; ++row) {
      const float ratio = power_ratio(common, terms.at(row, factor_term()).re);
      const Complex a = terms.at(row, m - 1);
      const Complex two = terms.at(row, lags + (m - 1) / 2);
      pairs += ratio * a.re;
      left += ratio * a.im;
      right += ratio * (m % 2 == 1 ? two.re : two.im);
    }
    const float energy = sqrtf(left) * sqrtf(right);
    c = energy > 0.0f ? pairs / energy : 0.0f;
    return energy > 0.0f;
  }
};

}  // namespace echoloop
