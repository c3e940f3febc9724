// Channels of the pixels of one column, stored row by row, for methods that read rows above and below a pixel. The
// transmits of every element are summed first (order compounded). Executors store one slice per pixel and pass a view
// of the surrounding rows to the method.
#pragma once

#include "dsp/level.h"
#include "dsp/methods/channel_sums.h"

namespace echoloop {

// Complex values with a constant step; on a GPU the number of threads, so that adjacent threads read adjacent values.
struct Strided {
  Complex* at;
  long long step;

  ECHO_HD Complex& operator[](int i) const { return at[static_cast<long long>(i) * step]; }
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

}  // namespace echoloop
