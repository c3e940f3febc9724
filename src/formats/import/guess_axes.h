// Which axis of an array is which, from lengths alone. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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
};

// Nothing: no assignment fits.
std::optional<AxesGuess> guess_axes(const std::vector<std::size_t>& shape, const AxisHints& hints);

}  // namespace echoloop
