// Contradictions between the samples of a frame and the facts of its recording, found by the agreement of its channels
// under other facts (agreement.h, hypotheses.h) and by tests without delays (channel_tests.h). Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/doubts/hypotheses.h"

namespace echoloop {

struct FactDoubt {
  std::string fact = {};  // "scale", "t0", "t_zero", "tx", "element_order", ...
  std::string text = {};  // "The order of the transmits contradicts the echoes: reversed, ..."
  std::string cure = {};  // keys of a description; empty: no single one
  nlohmann::json patch = nlohmann::json::object();  // the same, for programs
  double stated = 0.0, found = 0.0;                 // agreement of the channels
  bool mirrored = false;                            // left and right of the transmits exchanged, nothing else
  std::vector<std::string> readings = {};           // facts that explain the echoes alike
};

// Tests the facts of a recording of channel data with one of its frames. Empty: no contradiction, or samples that do
// not determine them: fewer than 8 elements, no distinct band.
std::vector<FactDoubt> find_fact_doubts(const StatedFacts& stated, std::span<const std::byte> frame);

// Returns true if the first two of `frames` are alike, so that they are no transmits of one frame.
bool are_alike(const Acquisition& a, std::span<const std::byte> frames);
// Tests if frames of one transmit are transmits of one frame. `frames`: several frames, one after another.
std::vector<FactDoubt> find_frame_doubts(const StatedFacts& stated, std::span<const std::byte> frames);

}  // namespace echoloop
