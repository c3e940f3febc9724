// Which array of a tree holds the samples, by name and size. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/import/array_tree.h"
#include "formats/import/guess_units.h"

namespace echoloop {

struct GuessedSamples {
  std::size_t entry = 0;                  // of the tree
  std::optional<std::size_t> quadrature;  // entry of the quadrature part, where it is an array of its own
  std::string reason;
  std::string prefix = {};  // that its name and others begin with: common_prefix()
  bool named = false;       // a known name, else the largest
  std::size_t n_alike = 1;  // arrays of that name, shape and type
};
std::optional<GuessedSamples> guess_samples(const ArrayTree& tree);  // nothing: no array could be samples

// What it is that cannot be shown, and what to do; empty: nothing. `positions`: of elements, all that there are.
std::string why_not_imaged(const ArrayTree& tree, const std::vector<FactNumbers>& positions);
// Of a name without case and underscores: "bmode", "rflines" ...: formed already.
bool names_picture(const std::string& name);
bool names_waveform(const std::string& name);  // "twoway_waveform": what is sent, of settings
std::vector<std::size_t> long_axes(const std::vector<std::size_t>& shape);  // lengths above 1

}  // namespace echoloop
