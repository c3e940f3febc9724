// Contradictions between the samples of the first frame and the facts of a recording: centre frequency, band, depth,
// axes. Nothing is applied; each doubt has the setting that resolves it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"
#include "core/acquisition.h"

namespace echoloop {

struct Doubt {
  std::string text;      // "centre frequency 2 MHz, but the echoes of the first frame are centred at 2.5 MHz"
  std::string cure;      // "--set center_hz=2.5e+06"; empty: a description
  std::string key = {};  // of a description: the doubted fact
  double stated = 0.0, measured = 0.0;  // SI
  double change = 0.0;                  // correction to add, for a key whose stated value only its description has
  std::string word = {};                // measured word of a key with words
  bool mirrored = false;                // left and right of the transmits exchanged
  // Of a doubt found by the agreement of the channels: keys of a description that resolve it, for programs; agreement
  // with the stated and with other facts; facts that explain the echoes alike.
  nlohmann::json patch = {};
  double agreement_stated = 0.0, agreement_found = 0.0;
  std::vector<std::string> readings = {};
  bool dismissed = false;  // by the user: the stated facts are right
};

// Returns [{text, cure, fact, patch, agreement_stated, agreement_found, readings}], as far as they apply.
nlohmann::json doubts_json(const std::vector<Doubt>& doubts);

// Adds `doubts`, and `doubts_dismissed` if there are any, to the JSON object of a file.
void add_doubts(nlohmann::json& about, const std::vector<Doubt>& doubts);

// Adds `doubts_tested`, a list of facts, and `doubts_not_testable`, {fact: reason}.
void add_tested(nlohmann::json& about, const Acquisition& a);
// Returns the texts under `doubts_dismissed` of such an object; others are ignored.
std::vector<std::string> dismissed_texts(const nlohmann::json& about);

// Returns the text and the cure in one line.
std::string doubt_line(const Doubt& doubt);

// Checks a frame; for beamformed lines only the centre frequency.
std::vector<Doubt> measure_doubts(const AcquisitionPtr& acquisition, std::span<const std::byte> frame);
// The same for a frame of a scanner; also elements whose echoes are unlike those of their neighbours.
std::vector<Doubt> measure_live_doubts(const AcquisitionPtr& acquisition, std::span<const std::byte> frame);
// Checks the first frame of a recording; empty for phantoms and scanners.
std::vector<Doubt> measure_doubts(const OpenedSource& opened);

}  // namespace echoloop
