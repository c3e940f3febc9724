// Tests of a frame's samples that need no delays: neighbouring elements receive similar echoes, so that their order and
// their polarity show in the samples alone. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/doubts/agreement.h"
#include "core/acquisition.h"

namespace echoloop {

struct ChannelFinding {
  enum class Kind { order, polarity, axes, unlike };
  Kind kind = Kind::order;
  std::string words = {};            // "neighbours exchanged in pairs"
  SampleReading reading = {};        // correction; empty: none is known
  double stated = 0.0, found = 0.0;  // likeness of neighbours, 0 to 1
};

// Returns the findings, of which one at most is true: an order of the elements, other axes, polarity, or elements that
// are all unlike. Empty: none, or too few or silent elements. `centre_hz`: of the echoes.
std::vector<ChannelFinding> test_channels(const Acquisition& a, std::span<const std::byte> frame, double centre_hz);

// Elements of a live stream whose echoes are unlike those of both neighbours, or that are silent.
struct UnlikeElements {
  std::vector<bool> elements;                       // none: no contradiction, or not testable
  double likeness = 0.0, likeness_of_others = 0.0;  // of neighbours, 0 to 1
};
UnlikeElements find_unlike_elements(const Acquisition& a, std::span<const std::byte> frame);

}  // namespace echoloop
