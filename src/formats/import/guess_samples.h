// Which array of a tree holds the samples, by name and size. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/import/array_tree.h"

namespace echoloop {

struct GuessedSamples {
  std::size_t entry = 0;                  // of the tree
  std::optional<std::size_t> quadrature;  // entry of the quadrature part, where it is an array of its own
  std::string reason;
};
std::optional<GuessedSamples> guess_samples(const ArrayTree& tree);  // nothing: no array could be samples

// Of a name without case and underscores: "bmode", "rflines" ...: formed already.
bool names_picture(const std::string& name);
std::vector<std::size_t> long_axes(const std::vector<std::size_t>& shape);  // lengths above 1

}  // namespace echoloop
