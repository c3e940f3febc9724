// Contradictions between the samples of the first frame and the facts of a recording: centre frequency, band, depth,
// axes. Nothing is applied; each doubt has the setting that resolves it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"

namespace echoloop {

struct Doubt {
  std::string text;      // "centre frequency 2 MHz, but the echoes of the first frame are centred at 2.5 MHz"
  std::string cure;      // "--set center_hz=2.5e+06"; empty: a description
  std::string key = {};  // of a description: the doubted fact
  double stated = 0.0, measured = 0.0;  // SI
  double change = 0.0;                  // correction to add, for a key whose stated value only its description has
  std::string word = {};                // measured word of a key with words
  bool mirrored = false;                // left and right of the transmits exchanged
};

nlohmann::json doubts_json(const std::vector<Doubt>& doubts);  // [{text, cure}]

// Checks a frame; for beamformed lines only the centre frequency.
std::vector<Doubt> measure_doubts(const Acquisition& a, std::span<const std::byte> frame);
// Checks the first frame of a recording; empty for phantoms and scanners.
std::vector<Doubt> measure_doubts(const OpenedSource& opened);

}  // namespace echoloop
