// Cells as MUST's users fill them: one for each transmit, RF{k} or TXdelay{k}. Joined into the array that they would
// be. Internal to src/formats.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/containers/mat_file.h"
#include "formats/containers/mat_tree.h"

namespace echoloop {

// Cells of time x element [x frame], all of one type and number of elements and frames, as time x element x cell
// [x frame]; shorter ones end in zeros, as their echoes do. A single cell is that array itself. Throws Error naming the
// cell that does not fit.
OwnedArray join_recordings(const std::string& what, const MatNode& cell, const std::shared_ptr<const void>& owner);

// Cells of as many numbers each as (cell, number). Nothing when it is no such cell.
std::optional<MatField> join_rows(const MatNode& cell);

}  // namespace echoloop
