#include "app/outputs/marks_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "app/options/small_file.h"
#include "core/error.h"
#include "core/number.h"
#include "core/units.h"
#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

constexpr double kMm = kMetresPerMillimetre;
constexpr double kNanometresPerMm = 1e6, kNanometresPerMetre = 1e9;
constexpr std::array<const char*, 8> kMarkKinds = {"distance", "angle",   "ellipse", "rectangle",
                                                   "circle",   "outline", "profile", "point"};
constexpr std::size_t kMostMarks = 1000, kMostPoints = 2000;
constexpr double kFarthest_mm = 1e4;
constexpr int kHighestNumber = 1'000'000;

// The mark that is being read: what refusals name.
struct Place {
  const std::string& what;
  std::size_t index = 0;
  [[noreturn]] void refuse(const std::string& found, const std::string& accepted) const {
    throw Error(what, fmt::format("mark {}: {}", index + 1, found), accepted);
  }
};

// As much of a value as fits into a line; arrays and objects by their name, as they may be nested without end.
std::string shown(const nlohmann::json& value) {
  if (value.is_structured()) return std::string("an ") + value.type_name();
  constexpr std::size_t kMost = 40;
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

int whole_number(const nlohmann::json& mark, const char* key, const Place& place) {
  const auto found = mark.find(key);
  if (found == mark.end()) place.refuse(std::string("no ") + key, fmt::format("1 to {}", kHighestNumber));
  if (!found->is_number_integer() || *found < 1 || *found > kHighestNumber) {
    place.refuse(fmt::format("{} = {}", key, shown(*found)), fmt::format("1 to {}", kHighestNumber));
  }
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
  if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number()) {
    place.refuse("a point that is " + shown(point), "[x, z] in millimetres");
  }
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

// A region's place in a pair; "none" or no role: it is alone.
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
  if (list.size() > kMostMarks) {
    throw Error(what, counted(list.size(), "mark"), fmt::format("at most {}", kMostMarks));
  }
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
    if (!numbers.insert(mark.number).second) {
      place.refuse(fmt::format("number {} for the second time", mark.number), "a number of its own");
    }
    take_points(mark, entry, place);
    take_role(mark, entry, place);
    if (mark.role != RegionRole::none && !roles.insert({mark.pair, mark.role}).second) {
      place.refuse(fmt::format("a second {} of pair {}", word(entry, "role"), mark.pair), "one of each in a pair");
    }
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
