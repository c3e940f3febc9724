#include "app/marks_json.h"

#include <array>

#include "core/units.h"
#include "gui/mark_shape.h"

namespace echoloop {

nlohmann::json marks_json(const Marks& marks) {
  constexpr std::array<const char*, 8> kKinds = {"distance", "angle",   "ellipse", "rectangle",
                                                 "circle",   "outline", "profile", "point"};
  constexpr double kMm = kMetresPerMillimetre;
  nlohmann::json list = nlohmann::json::array();
  for (const Mark& mark : marks.list) {
    nlohmann::json entry = {{"number", mark.number},
                            {"kind", kKinds[static_cast<std::size_t>(mark.kind)]},
                            {"points_mm", nlohmann::json::array()}};
    for (const PlanePoint p : mark.points) entry["points_mm"].push_back({p.x_m / kMm, p.z_m / kMm});
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

}  // namespace echoloop
