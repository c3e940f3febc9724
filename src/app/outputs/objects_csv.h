// The objects of a picture as text for a spreadsheet or a script. Any thread.
#pragma once

#include <string>

#include "gui/state/structure_view.h"

namespace echoloop {

// A row an object, the largest first, after comment lines, which begin with "# ": `comments`, then background and
// threshold. Columns: number, area_mm2, x_mm, z_mm, mean_db, pixels, and the box in pixels ix0, ix1, iz0, iz1.
std::string objects_csv(const StructureView& view, const std::string& comments);

}  // namespace echoloop
