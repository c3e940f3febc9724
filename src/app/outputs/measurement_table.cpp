#include "app/outputs/measurement_table.h"

#include <array>
#include <string_view>

#include "app/outputs/marks_json.h"
#include "history/export.h"
#include "history/json_text.h"

namespace echoloop {
namespace {

using nlohmann::json;

// Documented in assets/manual/measurement.md.
constexpr auto kColumns = std::to_array<std::string_view>({"recording",
                                                           "mark",
                                                           "kind",
                                                           "role",
                                                           "pair",
                                                           "area_mm2",
                                                           "pixels",
                                                           "share_with_echo",
                                                           "mean_db",
                                                           "std_db",
                                                           "speckle_snr",
                                                           "contrast_db",
                                                           "cnr",
                                                           "gcnr",
                                                           "slope_against_das",
                                                           "slope_intercept_db",
                                                           "slope_r2",
                                                           "x_mm",
                                                           "z_mm",
                                                           "level_db",
                                                           "lateral_fwhm_mm",
                                                           "lateral_fit_mm",
                                                           "lateral_side_lobe_db",
                                                           "axial_fwhm_mm",
                                                           "axial_fit_mm",
                                                           "axial_side_lobe_db",
                                                           "widths_of",
                                                           "length_mm",
                                                           "angle_deg",
                                                           "note"});

// The values of one mark: single ones, no curves.
void add_values(json& row, const json& list, const char* key, const json& number) {
  for (const json& entry : list) {
    if (entry[key] != number) continue;
    for (const auto& [name, value] : entry.items()) {
      if (!value.is_structured() && name != "number") row[name] = value;
    }
  }
}

json row_of(const json& mark, const MeasuredRecording& recording) {
  json row = mark;
  row.erase("points_mm");
  row.erase("number");
  row["recording"] = recording.source;
  row["mark"] = mark["number"];
  for (const char* list : {"regions", "points", "lines"})
    add_values(row, recording.values[list], "number", mark["number"]);
  if (row.value("role", "") == "target") add_values(row, recording.values["pairs"], "pair", mark["pair"]);
  if (!mark.contains("role")) row.erase("role"), row.erase("pair");  // a region on its own
  return row;
}

std::string cell(const json& row, std::string_view column) {
  const auto found = row.find(column);
  if (found == row.end() || found->is_null()) return {};
  if (!found->is_string()) return found->dump();
  const std::string text = found->get<std::string>();
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void write_measurement_table(const std::filesystem::path& file, const Marks& marks,
                             const std::vector<MeasuredRecording>& recordings) {
  json rows = json::array();
  const json all_marks = marks_json(marks);
  for (const MeasuredRecording& recording : recordings) {
    for (const json& mark : all_marks) rows.push_back(row_of(mark, recording));
  }
  if (file.extension() == ".json") return write_text(file, json_text(rows, 2) + "\n");
  std::string text;
  for (const std::string_view column : kColumns) text += (text.empty() ? "" : ",") + std::string(column);
  text += "\n";
  for (const json& row : rows) {
    std::string line;
    for (const std::string_view column : kColumns) line += (column == kColumns.front() ? "" : ",") + cell(row, column);
    text += line + "\n";
  }
  write_text(file, text);
}

}  // namespace echoloop
