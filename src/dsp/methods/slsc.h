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

  template <class Elements, class Terms>
  ECHO_HD void store_terms(const Elements& element, int n, const Terms& to) const {
    constexpr int kGroup = 4;  // lags whose sums are kept in registers
    int m = 0;
    for (; m + kGroup <= lags; m += kGroup) store_lags<kGroup>(element, n, m, to);
    for (; m + 2 <= lags; m += 2) store_lags<2>(element, n, m, to);
    if (m < lags) store_lags<1>(element, n, m, to);
    to.set(factor_term(), element.factor, decltype(element.factor){});
  }

  template <class Terms>
  [[nodiscard]] ECHO_HD auto pixel(const Terms& terms) const {
    const auto factor = [&](int row) { return terms.at(row, factor_term()).re; };
    auto common = factor(terms.centre);
    auto largest = common;
    for (int row = 0; row < terms.count; ++row) {
      common = common_factor(common, factor(row));
      largest = factor(row) > largest ? factor(row) : largest;
    }
    // The usual case; terms of silent rows are 0.
    if (all_equal(common, largest)) return mean_correlation(terms, [](int /*row*/) { return 1.0f; });
    return mean_correlation(terms, [&](int row) { return power_ratio(common, factor(row)); });
  }

 private:
  // Returns the unit of the sum over rows, their smallest factor (that of the largest samples): squares of ratios stay
  // below 1. 0: the pixel's own row is silent, and nothing is added.
  template <class Value>
  static ECHO_HD Value common_factor(Value common, Value factor) {
    return ((factor > 0.0f) & (factor < common)) ? factor : common;
  }
  template <class Value>
  static ECHO_HD Value power_ratio(Value common, Value factor) {
    const Value ratio = factor > 0.0f ? common / factor : Value{};
    return ratio * ratio;
  }

  // Lags m + 1 .. m + kLags.
  template <int kLags, class Elements, class Terms>
  ECHO_HD void store_lags(const Elements& element, int n, int m, const Terms& to) const {
    using Value = decltype(element.factor);
    Value pairs[kLags] = {}, left[kLags] = {}, right[kLags] = {};
    for (int e = 0; e + m + 1 < n; ++e) {
      const auto a = element(e);
      ECHO_UNROLL
      for (int k = 0; k < kLags; ++k) {
        if (e + m + 1 + k >= n) break;
        const auto b = element(e + m + 1 + k);
        pairs[k] += a.re * b.re + a.im * b.im;
        left[k] += b.energy > 0.0f ? a.energy : Value{};
        right[k] += a.energy > 0.0f ? b.energy : Value{};
      }
    }
    ECHO_UNROLL
    for (int k = 0; k < kLags; ++k) to.set(m + k, pairs[k], left[k]);
    ECHO_UNROLL
    for (int k = 0; k < kLags; k += 2) to.set(lags + (m + k) / 2, right[k], k + 1 < kLags ? right[k + 1] : Value{});
  }

  // ratio(row): factor of the row's terms. Two lags at a time share a term.
  template <class Terms, class Ratio>
  [[nodiscard]] ECHO_HD auto mean_correlation(const Terms& terms, const Ratio& ratio) const {
    using Value = decltype(terms.at(0, 0).re);
    Value sum{}, count{};
    const auto add = [&](Value pairs, Value left, Value right) {
      constexpr float kSmallest = 0x1p-126f;  // with an inverse root
      const auto any = (left >= kSmallest) & (right >= kSmallest);
      sum += any ? pairs * inverse_root_of(left) * inverse_root_of(right) : Value{};
      count += any ? Value{} + 1.0f : Value{};
    };
    for (int m = 0; m < lags; m += 2) {
      const int next = m + 1 < lags ? m + 1 : m;
      Value pairs{}, left{}, next_pairs{}, next_left{}, right{}, next_right{};
      for (int row = 0; row < terms.count; ++row) {
        const auto r = ratio(row);
        const auto own = terms.at(row, m), of_next = terms.at(row, next), of_right = terms.at(row, lags + m / 2);
        pairs += r * own.re;
        left += r * own.im;
        next_pairs += r * of_next.re;
        next_left += r * of_next.im;
        right += r * of_right.re;
        next_right += r * of_right.im;
      }
      add(pairs, left, right);
      if (next > m) add(next_pairs, next_left, next_right);
    }
    const Value mean = count > 0.0f ? sum / count : Value{};
    const Value one = Value{} + 1.0f;
    return mean > 1.0f ? one : mean < -1.0f ? -one : mean;
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::slsc>, const MethodSettings& s, const Run& run) {
  run(ShortLagCoherence{s.lags});
}

}  // namespace echoloop
