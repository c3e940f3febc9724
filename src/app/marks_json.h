// What the user drew to measure, for the files beside saved pictures. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "gui/marks.h"

namespace echoloop {

// [{number, kind, points_mm: [[x, z], ...]}], and where the kind has them: role, pair, length_mm, angle_deg, area_mm2.
nlohmann::json marks_json(const Marks& marks);

}  // namespace echoloop
