#include "app/outputs/measured_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/outputs/marks_json.h"
#include "core/number.h"
#include "core/units.h"
#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"
#include "history/export.h"
#include "history/json_text.h"

namespace echoloop {
namespace {

struct Row {
  const char* table;
  const std::string& object;
  std::string_view quantity;
  std::string_view unit;
  std::string_view at_unit;
};

using Out = std::back_insert_iterator<std::string>;

void add(Out out, const Row& row, double value) {
  if (!std::isfinite(value)) return;
  fmt::format_to(out, "{},{},{},{},,,{:.9g}\n", row.table, row.object, row.quantity, row.unit, value);
}

void add(Out out, const Row& row, double at, double value) {
  if (!std::isfinite(value)) return;
  fmt::format_to(out, "{},{},{},{},{:.9g},{},{:.9g}\n", row.table, row.object, row.quantity, row.unit, at, row.at_unit,
                 value);
}

void add_lobe(Out out, const std::string& object, const char* name, const Lobe& lobe) {
  const Row row{"curve", object, std::string_view(name), "dB", "mm"};
  for (std::size_t i = 0; i < lobe.offset_m.size(); ++i) {
    add(out, row, lobe.offset_m[i] * 1e3, static_cast<double>(lobe.level_db[i]));
  }
  if (!lobe.fit) return;
  const std::string fit = std::string(name) + " fit";
  for (const double offset_m : lobe.offset_m) {
    const double level_db = lobe.fit->level_db(offset_m);
    constexpr double kLowest_db = -20.0;  // as far as the window draws it
    if (level_db >= kLowest_db) add(out, {"curve", object, fit, "dB", "mm"}, offset_m * 1e3, level_db);
  }
}

}  // namespace

std::string measurements_csv(const Measured& m, const std::string& comments, const Measured& a) {
  std::string text = comments + "table,object,quantity,unit,at,at_unit,value\n";
  const Out out = std::back_inserter(text);
  for (const MeasuredValue& v : m.values) add(out, {"now", v.object, v.quantity, v.unit, ""}, v.value);
  for (const MeasuredValue& v : a.values) add(out, {"A", v.object, v.quantity, v.unit, ""}, v.value);
  for (const MeasuredValue& v : m.values) {
    const MeasuredValue* of_a = a.find(v.object, v.quantity);
    if (of_a != nullptr) add(out, {"B-A", v.object, v.quantity, v.unit, ""}, v.value - of_a->value);
  }
  for (const MeasuredValue& v : m.values) {
    const auto last = static_cast<double>(v.trend.size()) - 1.0;
    for (std::size_t i = 0; i < v.trend.size(); ++i) {
      add(out, {"trend", v.object, v.quantity, v.unit, "s"}, (static_cast<double>(i) - last) * kTrendStep_s,
          static_cast<double>(v.trend[i]));
    }
  }
  for (const MeasuredPoint& point : m.points) {
    if (!point.spread) continue;
    add_lobe(out, point.object, "lateral", point.spread->lateral);
    add_lobe(out, point.object, "axial", point.spread->axial);
  }
  for (const MeasuredProfile& line : m.profiles) {
    for (std::size_t i = 0; i < line.profile.at_m.size(); ++i) {
      add(out, {"curve", line.object, "level", "dB", "mm"}, line.profile.at_m[i] * 1e3,
          static_cast<double>(line.profile.level_db[i]));
    }
  }
  for (const MeasuredScatter& scatter : m.scatters) {
    for (const ScatterPoint& p : scatter.points) {
      add(out, {"scatter", scatter.object, "level over delay-and-sum", "dB", "dB"}, static_cast<double>(p.das_db),
          static_cast<double>(p.method_db));
    }
  }
  if (!m.histogram) return text;
  const std::string picture = "picture";
  for (std::size_t i = 0; i < m.histogram->counts.size(); ++i) {
    const double middle_db = m.histogram->first_db + (static_cast<double>(i) + 0.5) * m.histogram->step_db;
    add(out, {"histogram", picture, "pixels", "", "dB"}, middle_db, static_cast<double>(m.histogram->counts[i]));
  }
  return text;
}

namespace {

using nlohmann::json;

struct RegionEntry {
  int number, pair;
  RegionRole role;
};

// Not a number and infinity have no form in JSON.
json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json region_json(const RegionEntry& region, const RegionStats& s) {
  constexpr const char* kRoles[] = {"none", "target", "background"};
  return {{"number", region.number},
          {"pair", region.pair},
          {"role", kRoles[static_cast<std::size_t>(region.role)]},
          {"area_mm2", s.area_m2 * 1e6},
          {"pixels", s.pixels},
          {"share_with_echo", number_or_null(s.share_with_echo)},
          {"mean_db", number_or_null(s.level_db())},
          {"std_db", number_or_null(s.std_db)},
          {"speckle_snr", number_or_null(s.snr())}};
}

void add_lobe(json& entry, const std::string& name, const Lobe& lobe) {
  entry[name + "_fwhm_mm"] = number_or_null(lobe.fwhm_m * 1e3);
  entry[name + "_fit_mm"] = lobe.fit ? number_or_null(lobe.fit->width_m() * 1e3) : json(nullptr);
  entry[name + "_side_lobe_db"] = lobe.side_lobe ? number_or_null(lobe.side_lobe->level_db) : json(nullptr);
}

json point_json(const MeasuredPoint& point) {
  const bool peak = point.spread.has_value();
  PointSpread none;
  none.peak = {NAN, NAN};
  none.peak_db = none.lateral.fwhm_m = none.axial.fwhm_m = NAN;
  const PointSpread& spread = peak ? *point.spread : none;
  json entry = {{"number", point.mark},
                {"x_mm", number_or_null(spread.peak.x_m * 1e3)},
                {"z_mm", number_or_null(spread.peak.z_m * 1e3)},
                {"level_db", number_or_null(spread.peak_db)},
                {"widths_of", !peak                                  ? json(nullptr)
                              : point.from == PointSource::fine_grid ? json("fine grid")
                                                                     : json("image")},
                {"frame", point.frame},
                {"note", point.note}};
  add_lobe(entry, "lateral", spread.lateral);
  add_lobe(entry, "axial", spread.axial);
  return entry;
}

json line_json(const Measured& m, const Mark& mark) {
  json entry = {{"number", mark.number}};
  if (const auto angle = angle_rad(mark)) {
    entry["kind"] = "angle";
    entry["angle_deg"] = *angle / kRadiansPerDegree;
    return entry;
  }
  const auto length = length_m(mark);
  if (!length) return nullptr;
  entry["kind"] = mark.kind == MarkKind::profile ? "profile" : "distance";
  entry["length_mm"] = *length * 1e3;
  for (const MeasuredProfile& line : m.profiles) {
    if (line.mark != mark.number) continue;
    entry["at_mm"] = entry["level_db"] = json::array();
    for (const double at_m : line.profile.at_m) entry["at_mm"].push_back(at_m * 1e3);
    for (const float db : line.profile.level_db) entry["level_db"].push_back(number_or_null(static_cast<double>(db)));
  }
  return entry;
}

json scatter_json(const MeasuredScatter& scatter) {
  const auto rounded = [](float db) { return std::round(100.0 * static_cast<double>(db)) / 100.0; };
  json entry = {{"pixels", scatter.line.pixels}, {"das_db", json::array()}, {"method_db", json::array()}};
  for (const ScatterPoint& p : scatter.points) {
    entry["das_db"].push_back(rounded(p.das_db));
    entry["method_db"].push_back(rounded(p.method_db));
  }
  return entry;
}

// Where an adaptive method is on and the frame was made again by delay-and-sum.
void add_slope(json& entry, const Measured& m, const std::string& object) {
  const auto scatter = std::ranges::find(m.scatters, object, &MeasuredScatter::object);
  if (scatter == m.scatters.end()) return;
  entry["slope_against_das"] = number_or_null(scatter->line.slope);
  entry["slope_intercept_db"] = number_or_null(scatter->line.intercept_db);
  entry["slope_r2"] = number_or_null(scatter->line.r_squared);
  entry["scatter"] = scatter_json(*scatter);
}

}  // namespace

json measurements_json(const Measured& m, const Marks& marks) {
  json regions = json::array(), pairs = json::array(), points = json::array(), lines = json::array();
  for (const MeasuredPair& pair : m.pairs) {
    regions.push_back(region_json({pair.target, pair.number, RegionRole::target}, pair.stats.target));
    regions.push_back(region_json({pair.background, pair.number, RegionRole::background}, pair.stats.background));
    pairs.push_back({{"pair", pair.number},
                     {"contrast_db", number_or_null(pair.stats.contrast_db)},
                     {"cnr", number_or_null(pair.stats.cnr)},
                     {"gcnr", number_or_null(pair.stats.gcnr)}});
    add_slope(pairs.back(), m, pair.object);
  }
  for (const MeasuredRegion& region : m.regions) {
    regions.push_back(region_json({region.mark.number, region.mark.pair, region.mark.role}, region.stats));
    add_slope(regions.back(), m, region.object);
  }
  std::sort(regions.begin(), regions.end(), [](const json& a, const json& b) { return a["number"] < b["number"]; });
  for (const MeasuredPoint& point : m.points) points.push_back(point_json(point));
  for (const Mark& mark : marks.list) {
    if (json line = line_json(m, to_nanometres(mark)); !line.is_null()) lines.push_back(std::move(line));
  }
  json all = {{"regions", regions}, {"pairs", pairs}, {"points", points}, {"lines", lines}};
  if (changed_by_method(m.image.params)) {
    const FormationParams& f = m.image.params.formation;
    all["method"] = {{"name", kAdaptiveMethods[static_cast<std::size_t>(f.adaptive)].name},
                     {"channels", method_channels(f)},
                     {"changes", {"contrast_db", "cnr", "std_db", "speckle_snr"}}};
  }
  return all;
}

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

// The values of one mark, or of its pair: single ones, no curves. Other values than expected, of another file: none.
void add_values(json& row, const json& values, const char* list, const char* key, const json& mark) {
  for (const json& entry : values.value(list, json::array())) {
    if (!entry.is_object() || entry.value(key, json()) != mark.value(key, json())) continue;
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
  for (const char* list : {"regions", "points", "lines"}) add_values(row, recording.values, list, "number", mark);
  if (row.value("role", "") == "target") add_values(row, recording.values, "pairs", "pair", mark);
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
