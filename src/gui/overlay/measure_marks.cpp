#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/own_method.h"
#include "core/units.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"
#include "measure/levels.h"

namespace echoloop {
namespace {

const Mark* partner(const std::vector<Mark>& marks, int pair, RegionRole role) {
  for (const Mark& mark : marks) {
    if (is_region(mark.kind) && mark.pair == pair && mark.role == role) return &mark;
  }
  return nullptr;
}

using Values = std::vector<MeasuredValue>;

void add_region(Values& values, const std::string& object, const std::string& which, const RegionStats& s) {
  const auto add = [&](const char* quantity, const char* unit, double value) {
    values.push_back({object, which + quantity, unit, value});
  };
  add("mean amplitude", "dB", s.level_db());
  add("mean level", "dB", s.mean_db);
  add("standard deviation of the level", "dB", s.std_db);
  add("speckle SNR", "", s.snr());
  add("lowest level", "dB", s.min_db);
  add("highest level", "dB", s.max_db);
  add("area", "mm2", s.area_m2 * 1e6);
  add("share with an echo", "%", s.share_with_echo * 100.0);
  add("pixels", "", static_cast<double>(s.pixels));  // with an echo
  add("pixels in the region", "", static_cast<double>(s.pixels_all));
}

void add_lobe(Values& values, const std::string& object, const std::string& which, const Lobe* lobe) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool fit = lobe != nullptr && lobe->fit, side = lobe != nullptr && lobe->side_lobe;
  values.push_back({object, which + " width at -6 dB", "mm", lobe != nullptr ? lobe->fwhm_m * 1e3 : kNone});
  values.push_back({object, which + " width of the fit", "mm", fit ? lobe->fit->width_m() * 1e3 : kNone});
  values.push_back({object, which + " side lobe", "dB", side ? lobe->side_lobe->level_db : kNone});
}

void add_point(Values& values, const MeasuredPoint& point) {
  const PointSpread* s = point.spread ? &*point.spread : nullptr;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  values.push_back({point.object, "x", "mm", s != nullptr ? s->peak.x_m * 1e3 : kNone});
  values.push_back({point.object, "z", "mm", s != nullptr ? s->peak.z_m * 1e3 : kNone});
  values.push_back({point.object, "level", "dB", s != nullptr ? s->peak_db : kNone});
  add_lobe(values, point.object, "lateral", s != nullptr ? &s->lateral : nullptr);
  add_lobe(values, point.object, "axial", s != nullptr ? &s->axial : nullptr);
}

void measure_regions(Measured& m, const Marks& marks, const LevelImage& picture, RegionPixelCache& pixels) {
  for (const Mark& mark : marks.list) {
    if (!is_region(mark.kind)) continue;
    const bool in_pair = mark.role != RegionRole::none && mark.pair > 0;
    const Mark* target = in_pair ? partner(marks.list, mark.pair, RegionRole::target) : nullptr;
    const Mark* background = in_pair ? partner(marks.list, mark.pair, RegionRole::background) : nullptr;
    if (target != nullptr && background != nullptr && (&mark == target || &mark == background)) {
      if (&mark != target) continue;
      const RegionPixels& t = pixels.of(*target, picture.grid);
      const RegionPixels& b = pixels.of(*background, picture.grid);
      const std::string object = "pair " + std::to_string(mark.pair);
      m.pairs.push_back({mark.pair, target->number, background->number, object, compare_regions(picture, t, b)});
      const PairStats& pair = m.pairs.back().stats;
      add_region(m.values, object, "target ", pair.target);
      add_region(m.values, object, "background ", pair.background);
      m.values.push_back({object, "contrast", "dB", pair.contrast_db});
      m.values.push_back({object, "CNR", "", pair.cnr});
      m.values.push_back({object, "gCNR", "", pair.gcnr});
    } else {
      const std::string object = "region " + std::to_string(mark.number);
      m.regions.push_back({mark, object, measure_region(picture, pixels.of(mark, picture.grid))});
      add_region(m.values, object, "", m.regions.back().stats);
    }
  }
}

MeasuredPoint measure_point_mark(const Measured& m, const Mark& mark, const LevelImage& picture) {
  MeasuredPoint point{.mark = mark.number,
                      .object = "point " + std::to_string(mark.number),
                      .at = mark.points[0],
                      .echo = find_point_echo(picture, mark.points[0]),
                      .frame = m.image.stamp.sequence};
  point.spread = point.echo.spread;
  point.note = why_no_peak(point.echo);
  const FinePoint* fine = point.spread ? m.fine_of(point) : nullptr;
  if (fine == nullptr) return point;
  if (fine->spread) {
    point.spread = fine->spread;
    point.from = PointSource::fine_grid;
    point.frame = fine->frame;
  } else {
    point.note = "From the image's pixels: " + fine->why_not + ".";
  }
  return point;
}

void measure_line_mark(Measured& m, const Mark& mark, const LevelImage& picture) {
  const std::string number = std::to_string(mark.number);
  if (const auto angle = angle_rad(mark))
    m.values.push_back({"angle " + number, "angle", "deg", *angle / kRadiansPerDegree});
  const auto length = length_m(mark);
  if (!length) return;
  const bool profile = mark.kind == MarkKind::profile;
  m.values.push_back({(profile ? "profile " : "distance ") + number, "length", "mm", *length * 1e3});
  if (profile) {
    m.profiles.push_back({mark.number, "profile " + number, line_profile(picture, mark.points[0], mark.points[1])});
  }
}

// Returns the pixels of both; without weights, as regions of a pair may be adjacent.
RegionPixels joined(const RegionPixels& a, const RegionPixels& b) {
  RegionPixels both;
  std::set_union(a.index.begin(), a.index.end(), b.index.begin(), b.index.end(), std::back_inserter(both.index));
  return both;
}

const Mark* mark_of(const Marks& marks, int number) {
  const auto found = std::ranges::find(marks.list, number, &Mark::number);
  return found == marks.list.end() ? nullptr : &*found;
}

struct Levels {
  const LevelImage& method;
  const LevelImage& das;
};

// Adds the pixels with an echo in both.
void add_points(std::vector<ScatterPoint>& points, const Levels& levels, const RegionPixels& region, RegionRole role) {
  for (const std::uint32_t i : region.index) {
    const float das_db = levels.das.db[i], method_db = levels.method.db[i];
    if (static_cast<double>(das_db) > kNoEcho_db && static_cast<double>(method_db) > kNoEcho_db) {
      points.push_back({das_db, method_db, role});
    }
  }
}

// Keeps every n-th point, at most kMostScatterPoints.
void thin(std::vector<ScatterPoint>& points) {
  const std::size_t step = points.size() / kMostScatterPoints + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += step) points[kept++] = points[i];
  points.resize(kept);
}

}  // namespace

Region region_of(const Mark& mark) {
  const RegionShape shape = mark.kind == MarkKind::circle    ? RegionShape::circle
                            : mark.kind == MarkKind::ellipse ? RegionShape::ellipse
                            : mark.kind == MarkKind::outline ? RegionShape::outline
                                                             : RegionShape::rectangle;
  return {shape, mark.points};
}

const FinePoint* Measured::fine_of(const MeasuredPoint& point) const {
  const ImagingParams params = without_display(image.params);
  const auto found = std::find_if(fine.begin(), fine.end(), [&](const FinePoint& f) {
    return f.mark == point.mark && f.at == point.at && f.params == params;
  });
  return found == fine.end() ? nullptr : &*found;
}

Mark to_nanometres(Mark mark) {
  constexpr double kPerMetre = 1e9;
  for (PlanePoint& p : mark.points)
    p = {std::round(p.x_m * kPerMetre) / kPerMetre, std::round(p.z_m * kPerMetre) / kPerMetre};
  return mark;
}

const RegionPixels& RegionPixelCache::of(const Mark& mark, const Grid& grid) {
  KnownPixels& known = known_[mark.number];
  Region region = region_of(mark);
  if (!(known.region == region) || !(known.grid == grid)) {
    known.pixels = pixels_in(region, grid);
    known.region = std::move(region);
    known.grid = grid;
  }
  return known.pixels;
}

void RegionPixelCache::keep_only(const Marks& marks) {
  std::erase_if(known_, [&](const auto& known) {
    return std::none_of(marks.list.begin(), marks.list.end(), [&](const Mark& m) { return m.number == known.first; });
  });
}

void measure_marks(Measured& m, const Marks& drawn, const LevelImage& picture, RegionPixelCache& pixels) {
  m.pairs.clear();
  m.regions.clear();
  m.points.clear();
  m.profiles.clear();
  m.scatters.clear();
  m.values.clear();
  Marks marks;
  for (const Mark& mark : drawn.list) marks.list.push_back(to_nanometres(mark));
  measure_regions(m, marks, picture, pixels);
  for (const Mark& mark : marks.list) {
    if (mark.kind == MarkKind::point && !mark.points.empty()) {
      m.points.push_back(measure_point_mark(m, mark, picture));
      add_point(m.values, m.points.back());
    } else {
      measure_line_mark(m, mark, picture);
    }
  }
  pixels.keep_only(marks);
  if (const LabelMask* const mask = m.image.mask.get())
    for (std::size_t k = 0; k < mask->names.size(); ++k)
      m.values.push_back({kMaskObject + mask->names[k], "area", "mm2", mask->area_m2[k] * 1e6});
}

void clear_slopes(Measured& m) {
  std::erase_if(m.values, [](const MeasuredValue& v) {
    return v.quantity == kSlope || v.quantity == kSlopeFit || v.quantity == kSlopeIntercept;
  });
  m.scatters.clear();
}

void measure_slopes(Measured& m, const Marks& marks, const LevelImage& picture, const LevelImage& das,
                    RegionPixelCache& pixels) {
  clear_slopes(m);
  if (!(picture.grid == das.grid) || picture.db.size() != das.db.size()) return;
  const Levels levels{picture, das};
  const auto add = [&](const std::string& object, const RegionPixels& region) -> MeasuredScatter& {
    const LevelSlope slope = level_slope(picture, das, region);
    m.values.push_back({object, kSlope, "", slope.slope});
    m.values.push_back({object, kSlopeIntercept, "dB", slope.intercept_db});
    m.values.push_back({object, kSlopeFit, "", slope.r_squared});
    return m.scatters.emplace_back(MeasuredScatter{.object = object, .points = {}, .line = slope});
  };
  for (const MeasuredPair& pair : m.pairs) {
    const Mark* target = mark_of(marks, pair.target);
    const Mark* background = mark_of(marks, pair.background);
    if (target == nullptr || background == nullptr) continue;
    const RegionPixels of_target = pixels.of(*target, picture.grid);
    const RegionPixels& of_background = pixels.of(*background, picture.grid);
    std::vector<ScatterPoint>& points = add(pair.object, joined(of_target, of_background)).points;
    add_points(points, levels, of_background, RegionRole::background);
    add_points(points, levels, of_target, RegionRole::target);
    thin(points);
  }
  for (const MeasuredRegion& region : m.regions) {
    const RegionPixels& of_region = pixels.of(region.mark, picture.grid);
    std::vector<ScatterPoint>& points = add(region.object, of_region).points;
    add_points(points, levels, of_region, region.mark.role);
    thin(points);
  }
}

bool changed_by_method(const ImagingParams& params) {
  const FormationParams& f = params.formation;
  return f.adaptive != Adaptive::off && f.recipe == Recipe::analytic && !makes_mask(f);
}

}  // namespace echoloop
