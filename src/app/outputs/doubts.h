// What the samples of the first frame say against the facts of a recording: centre frequency, band, depth, axes.
// Nothing is applied; each doubt has the setting that cures it.
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
  std::string key = {};  // of a description: that is doubted
  double stated = 0.0, measured = 0.0;  // SI
  double change = 0.0;                  // of a key whose stated value only its description knows: to add to it
  std::string word = {};                // of a key that has words: the measured one
  bool mirrored = false;                // left and right of the transmits exchanged
};

nlohmann::json doubts_json(const std::vector<Doubt>& doubts);  // [{text, cure}]

// Of a frame; of beamformed lines their centre frequency alone.
std::vector<Doubt> measure_doubts(const Acquisition& a, std::span<const std::byte> frame);
// Of a recording; empty for phantoms and scanners. Reads the first frame.
std::vector<Doubt> measure_doubts(const OpenedSource& opened);

}  // namespace echoloop
