// Channels of a pixel by value, as read by a method, and stored rows of them.
#pragma once

#include <algorithm>
#include <vector>

#include "dsp/methods/element_rows.h"

namespace echoloop::testing {

// x[transmit][element].
struct GivenChannels {
  struct Element {
    float weight;
    int index;
  };
  struct Transmit {
    float weight;
    int index;
  };
  std::vector<std::vector<ChannelSample>> x;
  std::vector<float> receive, transmits;

  [[nodiscard]] int n_elements() const { return static_cast<int>(receive.size()); }
  [[nodiscard]] int n_transmits() const { return static_cast<int>(transmits.size()); }
  [[nodiscard]] Element element(int e) const { return {receive[static_cast<std::size_t>(e)], e}; }
  [[nodiscard]] Transmit transmit(int t) const { return {transmits[static_cast<std::size_t>(t)], t}; }
  [[nodiscard]] bool recorded(const Transmit& t, const Element& e) const { return sample(t, e).recorded; }
  [[nodiscard]] ChannelSample sample(const Transmit& t, const Element& e) const {
    return x[static_cast<std::size_t>(t.index)][static_cast<std::size_t>(e.index)];
  }
};

// Contiguous slices of rows.
class StoredRows {
 public:
  template <class Store>
  StoredRows(const std::vector<GivenChannels>& rows, int n_slice, const Store& store)
      : n_slice_(n_slice),
        n_rows_(static_cast<int>(rows.size())),
        values_(rows.size() * static_cast<std::size_t>(n_slice)) {
    Complex* at = values_.data();
    for (const GivenChannels& row : rows) {
      store(row, Strided{at, 1});
      at += n_slice;
    }
  }

  // Returns row r and k rows on each side of it.
  [[nodiscard]] StridedRows around(int r, int k) const {
    const int first = std::max(r - k, 0);
    const int last = std::min(r + k, n_rows_ - 1);
    return {.first = values_.data() + static_cast<std::ptrdiff_t>(first) * n_slice_,
            .row_step = n_slice_,
            .step = 1,
            .count = last - first + 1,
            .centre = r - first};
  }

 private:
  int n_slice_;
  int n_rows_;
  std::vector<Complex> values_;
};

}  // namespace echoloop::testing
