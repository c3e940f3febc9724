#include "app/outputs/measured_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "app/options/folders.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/overlay/mark_drawing.h"
#include "history/export.h"

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
  for (std::size_t i = 0; i < lobe.offset_m.size(); ++i)
    add(out, row, lobe.offset_m[i] * 1e3, static_cast<double>(lobe.level_db[i]));
  if (!lobe.fit) return;
  const std::string fit = std::string(name) + " fit";
  for (const double offset_m : lobe.offset_m) {
    const double level_db = lobe.fit->level_db(offset_m);
    constexpr double kLowest_db = -20.0;  // lower limit of the window's drawing
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

// Returns null for NaN and infinity, which JSON lacks.
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

// Adds the slope if an adaptive method is on and the frame was also made by delay-and-sum.
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
  for (const Mark& mark : marks.list)
    if (json line = line_json(m, to_nanometres(mark)); !line.is_null()) lines.push_back(std::move(line));
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

// Adds the single values of one mark, or of its pair, without curves. Ignores unexpected values of other files.
void add_values(json& row, const json& values, const char* list, const char* key, const json& mark) {
  for (const json& entry : values.value(list, json::array())) {
    if (!entry.is_object() || entry.value(key, json()) != mark.value(key, json())) continue;
    for (const auto& [name, value] : entry.items())
      if (!value.is_structured() && name != "number") row[name] = value;
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
  if (!mark.contains("role")) row.erase("role"), row.erase("pair");  // a region without a pair
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
  for (const MeasuredRecording& recording : recordings)
    for (const json& mark : all_marks) rows.push_back(row_of(mark, recording));
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

namespace {

constexpr double kMm = kMetresPerMillimetre;
constexpr double kNanometresPerMm = 1e6, kNanometresPerMetre = 1e9;
constexpr std::array<const char*, 8> kMarkKinds = {"distance", "angle",   "ellipse", "rectangle",
                                                   "circle",   "outline", "profile", "point"};
constexpr std::size_t kMostMarks = 1000, kMostPoints = 2000;
constexpr double kFarthest_mm = 1e4;
constexpr int kHighestNumber = 1'000'000;

// Current mark, named by refusals.
struct Place {
  const std::string& what;
  std::size_t index = 0;
  [[noreturn]] void refuse(const std::string& found, const std::string& accepted) const {
    throw Error(what, fmt::format("mark {}: {}", index + 1, found), accepted);
  }
};

// Returns a value shortened to fit a line; arrays and objects by name, as they may be nested without limit.
std::string shown(const nlohmann::json& value) {
  if (value.is_structured()) return std::string("an ") + value.type_name();
  constexpr std::size_t kMost = 40;
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

int whole_number(const nlohmann::json& mark, const char* key, const Place& place) {
  const auto found = mark.find(key);
  if (found == mark.end()) place.refuse(std::string("no ") + key, fmt::format("1 to {}", kHighestNumber));
  if (!found->is_number_integer() || *found < 1 || *found > kHighestNumber)
    place.refuse(fmt::format("{} = {}", key, shown(*found)), fmt::format("1 to {}", kHighestNumber));
  return found->get<int>();
}

std::string word(const nlohmann::json& mark, const char* key) {
  const auto found = mark.find(key);
  return found != mark.end() && found->is_string() ? found->get<std::string>() : std::string();
}

MarkKind kind_from(const nlohmann::json& mark, const Place& place) {
  const std::string text = word(mark, "kind");
  const auto* const found = std::find(kMarkKinds.begin(), kMarkKinds.end(), text);
  if (found == kMarkKinds.end()) {
    place.refuse("kind = " + (mark.contains("kind") ? shown(mark["kind"]) : std::string("nothing")),
                 "distance, angle, ellipse, rectangle, circle, outline, profile, point");
  }
  return static_cast<MarkKind>(found - kMarkKinds.begin());
}

PlanePoint point_from(const nlohmann::json& point, const Place& place) {
  const auto coordinate = [&](std::size_t i) {
    const double mm = point[i].get<double>();
    if (!(std::abs(mm) <= kFarthest_mm)) place.refuse("coordinate " + shown(point[i]), "-10000 to 10000 mm");
    return std::round(mm * kNanometresPerMm) / kNanometresPerMetre;
  };
  if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number())
    place.refuse("a point that is " + shown(point), "[x, z] in millimetres");
  return {coordinate(0), coordinate(1)};
}

void take_points(Mark& mark, const nlohmann::json& entry, const Place& place) {
  const auto list = entry.find("points_mm");
  const std::size_t needed = points_of(mark.kind);
  const std::string accepted = needed == 0 ? fmt::format("points_mm with 3 to {} points", kMostPoints)
                                           : "points_mm with " + counted(needed, "point");
  if (list == entry.end() || !list->is_array()) place.refuse("no points_mm", accepted);
  const bool fits = needed == 0 ? list->size() >= 3 && list->size() <= kMostPoints : list->size() == needed;
  if (!fits) place.refuse(counted(list->size(), "point"), accepted);
  for (const nlohmann::json& point : *list) mark.points.push_back(point_from(point, place));
}

// Sets a region's role in a pair; "none" or no role: it is single.
void take_role(Mark& mark, const nlohmann::json& entry, const Place& place) {
  const auto role = entry.find("role");
  if (role == entry.end() || *role == "none" || role->is_null()) return;
  if (*role != "target" && *role != "background") place.refuse("role = " + shown(*role), "target, background, none");
  if (!is_region(mark.kind)) place.refuse("role = " + shown(*role), "a role of regions only");
  mark.role = *role == "target" ? RegionRole::target : RegionRole::background;
  mark.pair = whole_number(entry, "pair", place);
}

}  // namespace

nlohmann::json marks_json(const Marks& marks) {
  nlohmann::json list = nlohmann::json::array();
  for (const Mark& drawn : marks.list) {
    const Mark mark = to_nanometres(drawn);
    nlohmann::json entry = {{"number", mark.number},
                            {"kind", kMarkKinds[static_cast<std::size_t>(mark.kind)]},
                            {"points_mm", nlohmann::json::array()}};
    const auto mm = [](double m) { return std::round(m * kNanometresPerMetre) / kNanometresPerMm; };
    for (const PlanePoint p : mark.points) entry["points_mm"].push_back({mm(p.x_m), mm(p.z_m)});
    if (mark.role != RegionRole::none) {
      entry["role"] = mark.role == RegionRole::target ? "target" : "background";
      entry["pair"] = mark.pair;
    }
    if (const auto length = length_m(mark)) entry["length_mm"] = *length / kMm;
    if (const auto angle = angle_rad(mark)) entry["angle_deg"] = *angle / kRadiansPerDegree;
    if (const auto area = area_m2(mark)) entry["area_mm2"] = *area / (kMm * kMm);
    list.push_back(std::move(entry));
  }
  return list;
}

Marks marks_from_json(const nlohmann::json& list, const std::string& what) {
  if (!list.is_array()) throw Error(what, "marks = " + shown(list), "an array of marks");
  if (list.size() > kMostMarks) throw Error(what, counted(list.size(), "mark"), fmt::format("at most {}", kMostMarks));
  Marks marks;
  std::set<int> numbers;
  std::set<std::pair<int, RegionRole>> roles;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place{what, i};
    const nlohmann::json& entry = list[i];
    if (!entry.is_object()) place.refuse(shown(entry), "an object with number, kind and points_mm");
    Mark mark;
    mark.number = whole_number(entry, "number", place);
    mark.kind = kind_from(entry, place);
    if (!numbers.insert(mark.number).second)
      place.refuse(fmt::format("number {} for the second time", mark.number), "a number of its own");
    take_points(mark, entry, place);
    take_role(mark, entry, place);
    if (mark.role != RegionRole::none && !roles.insert({mark.pair, mark.role}).second)
      place.refuse(fmt::format("a second {} of pair {}", word(entry, "role"), mark.pair), "one of each in a pair");
    marks.last_number = std::max(marks.last_number, mark.number);
    marks.list.push_back(std::move(mark));
  }
  return marks;
}

nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& accepted) {
  const std::string what = file.string();
  nlohmann::json json = nlohmann::json::parse(read_small_file(file, 16, accepted), nullptr, false);
  if (json.is_discarded()) throw Error(what, "is not JSON", accepted);
  if (!json.is_object()) throw Error(what, "found " + shown(json), accepted);
  return json;
}

Marks read_marks(const std::filesystem::path& file) {
  const std::string accepted = "a JSON object with an array named marks, as beside a saved image";
  const nlohmann::json json = read_json_object(file, accepted);
  if (!json.contains("marks")) throw Error(file.string(), "found no marks", accepted);
  return marks_from_json(json["marks"], file.string());
}

}  // namespace echoloop
