// Channels of the pixels of one column, stored row by row, for methods that read rows above and below a pixel. The
// transmits of every element are summed first (order compounded). Executors store one slice per pixel and pass a view
// of the surrounding rows to the method, which has one of two forms:
//   of channels (minimum_variance.h), whose slice is that of store_channels():
//     int n_scratch(int n)                                     work space for n channels, complex values
//     Complex pixel(const StridedRows& channels, int n, Strided scratch)
//   of sums over the channels of a row (slsc.h), which are added over the rows:
//     int n_terms()                                            of a slice, complex values
//     void store_terms(const auto& element, int n, const auto& to)
//       element(e): re, im of s_e times element.factor, a power of two, and energy |s_e|^2; 0 if e does not count
//       to.set(i, re, im)
//     auto pixel(const auto& terms)                            coherence, -1 to 1; terms.at(row, i), .count, .centre
//   Their values are floats or, on a CPU, vectors of adjacent pixels: no branches by them, but condition ? a : b with
//   both sides of that type.
#pragma once

#include "dsp/level.h"
#include "dsp/methods/channel_sums.h"

namespace echoloop {

template <class Method>
constexpr OwnRows rows_read_by() {
  if constexpr (requires(const Method& method) { method.n_terms(); })
    return OwnRows::coherence;
  else if constexpr (requires(const Method& method) { method.n_scratch(1); })
    return OwnRows::channels;
  else
    return OwnRows::none;
}

// Complex values with a constant step; on a GPU the number of threads, so that adjacent threads read adjacent values.
struct Strided {
  Complex* at;
  long long step;

  ECHO_HD Complex& operator[](int i) const { return at[static_cast<long long>(i) * step]; }
  ECHO_HD void set(int i, float re, float im) const { (*this)[i] = {re, im}; }
};

struct StridedRows {
  const Complex* first;  // of the first row
  long long row_step;
  long long step;
  int count;   // of rows: fewer than 2 K + 1 at the edges of the grid
  int centre;  // the pixel's own row

  [[nodiscard]] ECHO_HD Complex at(int row, int i) const {
    return first[static_cast<long long>(row) * row_step + static_cast<long long>(i) * step];
  }
  [[nodiscard]] ECHO_HD Complex own(int i) const { return at(centre, i); }
};

// Returns the channels of `neighbours` elements each; a slice holds them and one more value.
ECHO_HD int n_channels(int n_elements, int neighbours) { return (n_elements + neighbours - 1) / neighbours; }

// Stores channel g = sum a s / sum a over its elements that count, s = sum_t b_t x_{e,t}, or 0 without any. After the
// channels: (W, 0), the sum of a.
template <class Channels>
ECHO_HD void store_channels(const Channels& channels, int neighbours, Strided to) {
  const CompoundedElements<Channels> elements(channels);
  const int n = n_channels(channels.n_elements(), neighbours);
  float all = 0.0f;
  for (int g = 0; g < n; ++g) {
    Complex sum{0.0f, 0.0f};
    float weights = 0.0f;
    const int end = (g + 1) * neighbours < channels.n_elements() ? (g + 1) * neighbours : channels.n_elements();
    for (int e = g * neighbours; e < end; ++e) {
      const typename Channels::Element element = channels.element(e);
      if (!(element.weight > 0.0f)) continue;
      const ChannelSample s = elements.sample(element);
      if (!s.recorded) continue;
      sum = sum + element.weight * s.value;
      weights += element.weight;
    }
    to[g] = {0.0f, 0.0f};
    if (!(weights > 0.0f)) continue;
    to[g] = 1.0f / weights * sum;
    all += weights;
  }
  to[n] = {all, 0.0f};
}

// Returns the power of two that scales the largest of n values towards 1; 0: all are 0.
template <class Values>
ECHO_HD float slice_factor(const Values& value, int n) {
  float largest = 0.0f;
  for (int i = 0; i < n; ++i) {
    const Complex v = value(i);
    largest = fmaxf(largest, fmaxf(fabsf(v.re), fabsf(v.im)));
  }
  return largest > 0.0f ? factor_towards_one(largest) : 0.0f;
}

// Elements of a slice, for methods of sums over channels.
struct ScaledElements {
  struct Element {
    float re, im, energy;
  };
  Strided stored;
  float factor;

  ECHO_HD ScaledElements(Strided slice, int n)
      : stored(slice), factor(slice_factor([&](int i) { return slice[i]; }, n)) {}
  [[nodiscard]] ECHO_HD Element operator()(int e) const {
    const Complex s = factor * stored[e];
    return {s.re, s.im, s.re * s.re + s.im * s.im};
  }
};

// inverse_root() of a value, and a == b of all values.
ECHO_HD float inverse_root_of(float v) { return inverse_root(v); }
ECHO_HD bool all_equal(float a, float b) { return a == b; }
#if defined(__GNUC__) && !defined(__CUDACC__)
template <class Vector>
ECHO_HD Vector inverse_root_of(Vector v) {
  float values[sizeof(Vector) / sizeof(float)];  // a loop over an array is vectorised
  __builtin_memcpy(values, &v, sizeof v);
  for (float& value : values) value = 1.0f / sqrtf(value);
  __builtin_memcpy(&v, values, sizeof v);
  return v;
}
template <class Vector>
ECHO_HD bool all_equal(Vector a, Vector b) {
  const auto differ = a != b;
  int any = 0;
  for (unsigned i = 0; i < sizeof(Vector) / sizeof(float); ++i) any |= differ[i];
  return any == 0;
}
#endif

}  // namespace echoloop
