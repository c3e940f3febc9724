// What was drawn to measure, as JSON: beside saved images, in sessions, for --marks. Any thread.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gui/state/marks.h"

namespace echoloop {

// [{number, kind, points_mm: [[x, z], ...]}], and where the kind has them: role, pair, length_mm, angle_deg, area_mm2.
// Points to the nanometre, as marks are measured.
nlohmann::json marks_json(const Marks& marks);

// What marks_json() wrote; keys that it does not need are passed over. Throws Error in one line that names `what`.
Marks marks_from_json(const nlohmann::json& list, const std::string& what);

// The array `marks` of a JSON file's object: the file beside a saved image, a session, or one's own. Throws Error.
Marks read_marks(const std::filesystem::path& file);

// A JSON object from a file of at most 16 MB. Throws Error that says `accepted` for anything else.
nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& accepted);

}  // namespace echoloop
