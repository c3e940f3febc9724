// Layouts that are known by the names of a tree, in whatever container they come. Internal to src/formats/import.
#pragma once

#include <optional>

#include "formats/import/array_tree.h"

namespace echoloop {

// BRAIN's exp_data (full or half matrix capture). Nothing: none of them. Throws Error for one that is damaged.
std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree);

}  // namespace echoloop
