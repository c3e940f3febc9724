// The numbers of the same marks on many recordings as one table: a row of each mark on each recording.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/state/marks.h"

namespace echoloop {

struct MeasuredRecording {
  std::string source;     // as the user named it
  nlohmann::json values;  // as measurements_json() has them
};
// CSV or JSON, by the file's ending. Values of a pair are in the row of its target. Throws Error.
void write_measurement_table(const std::filesystem::path& file, const Marks& marks,
                             const std::vector<MeasuredRecording>& recordings);

}  // namespace echoloop
