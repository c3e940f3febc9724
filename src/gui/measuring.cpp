#include "gui/measuring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/mark_shape.h"

namespace echoloop {
namespace {

constexpr double kReach_m = 1.5e-3;  // from a click to the bright spot that is meant
constexpr double kHistogramLow_db = -100.0;
constexpr int kHistogramBins = 120;  // of 1 dB

bool is_measured(const Mark& mark) {
  return is_region(mark.kind) || mark.kind == MarkKind::point || mark.kind == MarkKind::profile;
}

bool equal(const Mark& a, const Mark& b) {
  return a.number == b.number && a.kind == b.kind && a.role == b.role && a.pair == b.pair &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                    [](PlanePoint p, PlanePoint q) { return p.x_m == q.x_m && p.z_m == q.z_m; });
}

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
  add("pixels", "", static_cast<double>(s.pixels));
}

void add_lobe(Values& values, const std::string& object, const std::string& which, const Lobe* lobe) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool fit = lobe != nullptr && lobe->fit, side = lobe != nullptr && lobe->side_lobe;
  values.push_back({object, which + " width at -6 dB", "mm", lobe != nullptr ? lobe->fwhm_m * 1e3 : kNone});
  values.push_back({object, which + " fitted width", "mm", fit ? lobe->fit->width_m() * 1e3 : kNone});
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

}  // namespace

Region region_of(const Mark& mark) {
  const RegionShape shape = mark.kind == MarkKind::circle    ? RegionShape::circle
                            : mark.kind == MarkKind::ellipse ? RegionShape::ellipse
                            : mark.kind == MarkKind::outline ? RegionShape::outline
                                                             : RegionShape::rectangle;
  return {shape, mark.points};
}

bool Measuring::has_work(const Marks& marks) { return std::any_of(marks.list.begin(), marks.list.end(), is_measured); }

const RegionPixels& Measuring::pixels_of(const Mark& mark, const Grid& grid) {
  KnownPixels& known = known_[mark.number];
  Region region = region_of(mark);
  if (!(known.region == region) || !(known.grid == grid)) {
    known.pixels = pixels_in(region, grid);
    known.region = std::move(region);
    known.grid = grid;
  }
  return known.pixels;
}

void Measuring::measure_regions(Measured& m, const Marks& marks, const LevelPicture& picture) {
  for (const Mark& mark : marks.list) {
    if (!is_region(mark.kind)) continue;
    const bool in_pair = mark.role != RegionRole::none && mark.pair > 0;
    const Mark* target = in_pair ? partner(marks.list, mark.pair, RegionRole::target) : nullptr;
    const Mark* background = in_pair ? partner(marks.list, mark.pair, RegionRole::background) : nullptr;
    if (target != nullptr && background != nullptr && (&mark == target || &mark == background)) {
      if (&mark != target) continue;
      const RegionPixels& t = pixels_of(*target, picture.grid);
      const RegionPixels& b = pixels_of(*background, picture.grid);
      const std::string object = "pair " + std::to_string(mark.pair);
      m.pairs.push_back({mark.pair, object, compare_regions(picture, t, b)});
      const PairStats& pair = m.pairs.back().stats;
      add_region(m.values, object, "target ", pair.target);
      add_region(m.values, object, "background ", pair.background);
      m.values.push_back({object, "contrast", "dB", pair.contrast_db});
      m.values.push_back({object, "CNR", "", pair.cnr});
      m.values.push_back({object, "gCNR", "", pair.gcnr});
    } else {
      const std::string object = "region " + std::to_string(mark.number);
      m.regions.push_back({mark, object, measure_region(picture, pixels_of(mark, picture.grid))});
      add_region(m.values, object, "", m.regions.back().stats);
    }
  }
}

void Measuring::measure(Measured& m, const Marks& marks, const LevelPicture& picture) {
  m.pairs.clear();
  m.regions.clear();
  m.points.clear();
  m.profiles.clear();
  m.values.clear();
  measure_regions(m, marks, picture);
  for (const Mark& mark : marks.list) {
    const std::string number = std::to_string(mark.number);
    if (mark.kind == MarkKind::point && !mark.points.empty()) {
      m.points.push_back({mark.number, "point " + number, measure_point(picture, mark.points[0], kReach_m)});
      add_point(m.values, m.points.back());
    } else if (mark.kind == MarkKind::profile && mark.points.size() == 2) {
      m.profiles.push_back({mark.number, "profile " + number, line_profile(picture, mark.points[0], mark.points[1])});
    }
  }
  std::erase_if(known_, [&](const auto& known) {
    return std::none_of(marks.list.begin(), marks.list.end(), [&](const Mark& m) { return m.number == known.first; });
  });
}

void Measuring::remember(Measured& m, double now_s) {
  const double late_s = now_s - next_step_s_;
  const int steps = late_s < 0.0 ? 0 : static_cast<int>(std::min<double>(kTrendSteps, 1.0 + late_s / kTrendStep_s));
  if (steps > 0) next_step_s_ = now_s + kTrendStep_s - std::fmod(std::max(late_s, 0.0), kTrendStep_s);
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  std::map<std::string, Trend> kept;
  for (MeasuredValue& v : m.values) {
    const std::string key = v.object + "/" + v.quantity;
    const auto found = trends_.find(key);
    Trend trend = found != trends_.end() ? std::move(found->second) : Trend{std::vector<float>(kTrendSteps, kNone)};
    if (steps > 0) {
      std::rotate(trend.values.begin(), trend.values.begin() + steps, trend.values.end());
      std::fill(trend.values.end() - steps, trend.values.end(),
                found != trends_.end() ? static_cast<float>(trend.value) : kNone);
    }
    trend.value = v.value;
    trend.values.back() = static_cast<float>(v.value);
    v.trend = trend.values;
    kept.emplace(key, std::move(trend));
  }
  trends_ = std::move(kept);
}

void Measuring::update(Measured& m, const Marks& marks, LevelReader& levels, HistogramUse histogram, double now_s) {
  const bool looked_at = histogram == HistogramUse::yes;
  if (!has_work(marks) && !looked_at) {
    m = {};
    trends_.clear();
    known_.clear();
    measured_marks_.clear();
    return;
  }
  const LevelPicture& picture = levels.ask();
  if (picture.number == 0) {
    m = {};
    return;
  }
  const bool same_picture = m.image.number == levels.image().number && m.image.ready_ns == levels.image().ready_ns &&
                            m.image.grid == levels.image().grid;
  const bool same_marks =
      std::equal(marks.list.begin(), marks.list.end(), measured_marks_.begin(), measured_marks_.end(), equal);
  if (!same_picture || !same_marks) measure(m, marks, picture);
  if (!looked_at) {
    m.histogram.reset();
  } else if (!same_picture || !m.histogram) {
    m.histogram = LevelHistogram{.first_db = kHistogramLow_db, .step_db = 1.0};
    count_levels(picture.db, kHistogramBins, *m.histogram);
  }
  m.image = levels.image();
  if (!same_marks) measured_marks_ = marks.list;
  if (!same_picture || !same_marks || now_s >= next_step_s_) remember(m, now_s);
}

}  // namespace echoloop
