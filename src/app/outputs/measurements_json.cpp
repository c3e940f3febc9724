#include "app/outputs/measurements_json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
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

}  // namespace echoloop
