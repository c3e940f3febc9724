#include "gui/view/measuring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

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

}  // namespace

bool Measuring::has_work(const Marks& marks) { return std::any_of(marks.list.begin(), marks.list.end(), is_measured); }

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
    pixels_.clear();
    measured_marks_.clear();
    return;
  }
  const LevelImage& picture = levels.ask();
  if (picture.number == 0 || shows_weight(levels.image().params.formation)) {  // weights are no levels
    m = {};
    return;
  }
  const bool same_picture = m.image.number == levels.image().number && m.image.ready_ns == levels.image().ready_ns &&
                            m.image.grid == levels.image().grid;
  const bool same_marks =
      std::equal(marks.list.begin(), marks.list.end(), measured_marks_.begin(), measured_marks_.end(), equal);
  const bool finer = std::exchange(m.fine_came, false);
  m.image = levels.image();
  if (!same_picture || !same_marks || finer) measure_marks(m, marks, picture, pixels_);
  if (!looked_at) {
    m.histogram.reset();
  } else if (!same_picture || !m.histogram) {
    m.histogram = LevelHistogram{.first_db = kHistogramLow_db, .step_db = 1.0};
    count_levels(picture.db, kHistogramBins, *m.histogram);
  }
  if (!same_marks) measured_marks_ = marks.list;
  if (!same_picture || !same_marks || finer || now_s >= next_step_s_) remember(m, now_s);
}

void Measuring::compare(Measured& m, const Measured& a, const Marks& marks, LevelReader& levels,
                        LevelReader& levels_a) {
  const bool both = m.image.number != 0 && a.image.number != 0;
  if (!both || !changed_by_method(m.image.params) || changed_by_method(a.image.params)) return clear_slopes(m);
  if (!m.scatters.empty() && same_picture(a.image, against_)) return;  // a new image of B has none yet
  against_ = a.image;
  measure_slopes(m, marks, levels.ask(), levels_a.ask(), pixels_);
}

}  // namespace echoloop
