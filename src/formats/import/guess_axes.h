// Which axis of an array is which, from lengths alone. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/array_view.h"

namespace echoloop {

struct AxisHints {  // 0: unknown
  std::size_t n_times = 0, n_elements = 0, n_transmits = 0;
  bool first_fastest = false;  // MATLAB
  bool complex = false;
  bool named_iq = false;  // by the name of the samples, or a frequency of demodulation
};

struct AxesGuess {
  std::vector<std::string> axes;  // a name for each axis
  std::string open;               // what the lengths do not decide: "axis 3 of length 7: transmits or frames"
  std::string undecided;          // as well: "axes 1 and 2 of lengths 64 and 64: transmit and element, or the reverse"
};

// Nothing: no assignment fits.
std::optional<AxesGuess> guess_axes(const std::vector<std::size_t>& shape, const AxisHints& hints);

// Waves side by side in a matrix, samples x (elements of all waves) or (samples of all waves) x elements: its shape
// with that axis split, as split_axes() takes it.
struct SplitGuess {
  std::vector<std::size_t> shape;
  std::size_t n_parts = 0;   // length of a part
  bool certain = false;      // the number of elements says it
  bool of_elements = false;  // their axis was split, else time
};
// `n_elements` 0: unknown. Nothing: no axis of a matrix is `n_waves` times something.
std::optional<SplitGuess> guess_split(const std::vector<std::size_t>& shape, std::size_t n_waves,
                                      std::size_t n_elements, MemoryOrder order);

}  // namespace echoloop
