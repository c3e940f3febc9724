#include "gui/overlay/m_mode_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/results/image.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/number_text.h"
#include "measure/pulses.h"

namespace echoloop {
namespace {

constexpr double kOrigin_s = 1e5;    // of the clock: times of earlier frames stay above 0
constexpr double kLongest_s = 16.0;  // longest pause that is drawn
constexpr double kLonely_s = 0.02;   // duration of a column with an unknown frame rate
constexpr double kMissing = 2.5;     // times the usual step: larger steps are gaps
constexpr std::size_t kSteps = 9;    // the usual step is their median

std::pair<std::int64_t, std::uint64_t> order(const FrameStamp& s) { return {s.acquired_ns, s.sequence}; }

bool is_timed(const LineColumn& c) {
  return c.origin->acquisition != nullptr && c.origin->acquisition->frame_rate_hz > 0.0;
}

double source_time_s(const LineColumn& c) { return stream_time_s(c.stamp, c.origin->acquisition); }

double nominal_step_s(const LineColumn& c) {
  return is_timed(c) ? 1.0 / c.origin->acquisition->frame_rate_hz : kLonely_s;
}

// Returns the step between columns; a restarted stream is shown as a gap.
double step_between(const LineColumn& a, const LineColumn& b) {
  const double passed_s = source_time_s(b) - source_time_s(a);
  return passed_s > 0.0 ? std::min(passed_s, kLongest_s) : (kMissing + 1.0) * nominal_step_s(b);
}

bool same_line(const LineOrigin& a, const LineOrigin& b) {
  return a.column == b.column && a.grid == b.grid && a.acquisition == b.acquisition;
}

}  // namespace

std::size_t MModeColumns::capacity(const Grid& grid) {
  return std::max<std::size_t>(2, kBytes / (sizeof(float) * static_cast<std::size_t>(std::max(grid.nz, 1))));
}

void MModeColumns::clear() {
  list_.clear();
  changed_ = {};
  ++begun_;
}

std::deque<MModeColumns::Entry>::iterator MModeColumns::place(const FrameStamp& stamp) {
  return std::lower_bound(list_.begin(), list_.end(), stamp,
                          [](const Entry& e, const FrameStamp& s) { return order(e.column.stamp) < order(s); });
}

void MModeColumns::add(LineColumn& column) {
  if (!list_.empty() && !same_line(*list_.back().column.origin, *column.origin)) clear();
  auto at = place(column.stamp);
  const bool known = at != list_.end() && order(at->column.stamp) == order(column.stamp);
  if (!known) at = list_.insert(at, Entry{});
  std::swap(at->column.levels_db, column.levels_db);
  at->column.stamp = column.stamp;
  at->column.origin = column.origin;
  const auto index = static_cast<std::size_t>(at - list_.begin());
  if (!known) set_times(index);
  note(index);
  drop_oldest();
}

// Sets the times: the newest column keeps its time, a new newest one follows the previous one.
void MModeColumns::set_times(std::size_t index) {
  if (list_.size() == 1) {
    list_[0].time_s = kOrigin_s + source_time_s(list_[0].column);
    return;
  }
  if (index + 1 == list_.size()) {
    list_[index].time_s = list_[index - 1].time_s + step_between(list_[index - 1].column, list_[index].column);
    return;
  }
  for (std::size_t i = index + 1; i > 0; --i) {
    const double time_s = list_[i].time_s - step_between(list_[i - 1].column, list_[i].column);
    const bool moved = i - 1 != index && std::abs(time_s - list_[i - 1].time_s) > 1e-9;
    if (i - 1 < index && !moved) break;  // earlier ones are unchanged as well
    if (moved) changed_.from_s = std::min({changed_.from_s, time_s, list_[i - 1].time_s});
    list_[i - 1].time_s = time_s;
  }
}

// Marks the column as changed, and the gaps on both sides, which it may have opened or closed.
void MModeColumns::note(std::size_t index) {
  const std::size_t before = index > kSteps ? index - kSteps : 0;
  const std::size_t after = std::min(index + kSteps, list_.size() - 1);
  const bool newest = index + 1 == list_.size();
  changed_.from_s = std::min(changed_.from_s, list_[newest && index > 0 ? index - 1 : before].time_s);
  changed_.to_s = std::max(changed_.to_s, until_s(after));
}

void MModeColumns::drop_oldest() {
  while (list_.size() > capacity(list_.back().column.origin->grid)) list_.pop_front();
}

// Returns the median step before a column, or, with too few columns there, after it.
double MModeColumns::usual_step_s(std::size_t index) const {
  std::array<double, kSteps> steps{};
  std::size_t n = 0;
  const std::size_t first = index > kSteps ? index - kSteps : 0;
  for (std::size_t i = first; i + 1 < list_.size() && n < kSteps; ++i) {
    steps[n++] = list_[i + 1].time_s - list_[i].time_s;
  }
  if (n == 0) return nominal_step_s(list_[index].column);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(steps.begin(), middle, steps.begin() + static_cast<std::ptrdiff_t>(n));
  return n < 3 ? std::min(*middle, kMissing * nominal_step_s(list_[index].column)) : *middle;
}

double MModeColumns::until_s(std::size_t index) const {
  const double from_s = list_[index].time_s;
  const double usual_s = usual_step_s(index);
  if (index + 1 == list_.size()) return from_s + usual_s;
  const double next_s = list_[index + 1].time_s;
  return next_s - from_s <= kMissing * usual_s ? next_s : from_s + usual_s;
}

const LineColumn* MModeColumns::find(const FrameStamp& stamp) const {
  const auto at = const_cast<MModeColumns*>(this)->place(stamp);
  return at != list_.end() && order(at->column.stamp) == order(stamp) ? &at->column : nullptr;
}

std::optional<double> MModeColumns::time_s(const FrameStamp& stamp) const {
  const auto at = const_cast<MModeColumns*>(this)->place(stamp);
  if (at == list_.end() || order(at->column.stamp) != order(stamp)) return std::nullopt;
  return at->time_s;
}

std::optional<std::size_t> MModeColumns::index_at(double time_s) const {
  const auto after =
      std::upper_bound(list_.begin(), list_.end(), time_s, [](double t, const Entry& e) { return t < e.time_s; });
  if (after == list_.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - list_.begin()) - 1;
}

MModeColumns::Changed MModeColumns::take_changed() { return std::exchange(changed_, Changed{}); }

void sample_columns(const MModeColumns& columns, const TimeSteps& steps, int rows, std::vector<float>& levels_db) {
  const auto n = static_cast<std::size_t>(steps.n), height = static_cast<std::size_t>(rows);
  levels_db.assign(height * n, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i) {
    const double begin_s = static_cast<double>(steps.first + static_cast<std::int64_t>(i)) * steps.step_s;
    const auto index = columns.index_at(begin_s + steps.step_s * (1.0 - 1e-9));
    if (!index.has_value() || columns.until_s(*index) < begin_s + 1e-3 * steps.step_s) continue;
    const std::vector<float>& column = columns.at(*index).levels_db;
    for (std::size_t row = 0; row < std::min(height, column.size()); ++row) levels_db[row * n + i] = column[row];
  }
}

double line_first_m(const Grid& grid) { return grid.polar() ? grid.sector.apex_z_m + grid.sector.r0_m : grid.z0_m; }
double line_last_m(const Grid& grid) { return grid.polar() ? grid.sector.apex_z_m + grid.sector.r1_m : grid.z1_m; }

namespace {

constexpr Rgb kEnvelope = {76, 195, 224}, kMean = {242, 193, 78};

// Returns the oldest column within the span.
std::uint64_t oldest(const Spectrogram& s, double span_s) {
  const auto columns = static_cast<std::uint64_t>(span_s / s.step_s());
  return std::max(s.first(), s.end > columns ? s.end - columns : 0);
}

float fastest(const Spectrogram& s, double span_s) {
  float most = std::numeric_limits<float>::quiet_NaN();
  for (std::uint64_t k = oldest(s, span_s); k < s.end; ++k) {
    const float v = s.envelope_m_s[Spectrogram::slot(k)];
    if (std::isfinite(v) && !(std::abs(v) <= std::abs(most))) most = v;
  }
  return most;
}

}  // namespace

bool only_gaps(const Spectrogram& s, double span_s) {
  for (std::uint64_t k = oldest(s, span_s); k < s.end; ++k) {
    const auto levels = s.column(k);
    if (std::any_of(levels.begin(), levels.end(), [](float db) { return std::isfinite(db); })) return false;
  }
  return true;
}

std::string peak_text(const Spectrogram& s, double span_s) {
  const float most = fastest(s, span_s);
  if (std::isfinite(most)) return "peak " + velocity_text(static_cast<double>(most), s.aliasing_m_s);
  return only_gaps(s, span_s) ? "no spectrum yet" : "no flow above the noise";
}

std::vector<std::string> spectrogram_facts(const Spectrogram& s) {
  return {fmt::format("limit \u00B1{}", velocity_text(s.aliasing_m_s, s.aliasing_m_s).substr(1)),
          fmt::format("angle {}°", fixed(s.params.color_flow.angle_rad / kRadiansPerDegree, 0)),
          fmt::format("PRF {} Hz", grouped(static_cast<std::uint64_t>(s.prf_hz + 0.5))),
          fmt::format("sample volume {} mm", fixed(s.length_m / kMetresPerMillimetre, 1)),
          fmt::format("at x {}, z {} mm", fixed(s.centre.x_m / kMetresPerMillimetre, 1),
                      fixed(s.centre.z_m / kMetresPerMillimetre, 1))};
}

std::optional<double> frame_place_s(const Spectrogram& s, const Image& image, double span_s) {
  if (s.acquisition == nullptr || !(s.acquisition->frame_rate_hz > 0.0) ||
      is_before(s.stamp.sequence, image.stamp.sequence)) {
    return std::nullopt;
  }
  const auto frames = static_cast<double>(s.stamp.sequence - image.stamp.sequence);
  const double half_window_s = 0.5 * s.frames / s.prf_hz;  // a column's time is the centre of its window
  const double place_s = std::min(half_window_s - frames / s.acquisition->frame_rate_hz, 0.0);
  return place_s >= -span_s ? std::optional(place_s) : std::nullopt;
}

double mean_m_s(const Spectrogram& s, double place_s) {
  const auto back = static_cast<std::uint64_t>(std::max(0.0, -place_s / s.step_s()));
  if (back >= s.end - s.first()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(s.mean_m_s[Spectrogram::slot(s.end - 1 - back)]);
}

std::array<CaptionItem, 4> pulse_items(const Spectrogram& s, double span_s) {
  std::vector<float> curve;
  for (std::uint64_t k = oldest(s, span_s); k < s.end; ++k) curve.push_back(s.envelope_m_s[Spectrogram::slot(k)]);
  // The curve of a spectrum that reaches the limit ends this much before it (dsp/gate_spectrum.cpp).
  const double limit_m_s = s.aliasing_m_s * (1.0 - 3.0 / std::max(s.frames, 4));
  const PulseValues found = measure_pulses(curve, s.step_s(), limit_m_s);
  const VelocityUnit unit = velocity_unit(s.aliasing_m_s);
  const int decimals = velocity_decimals(s.aliasing_m_s * unit.per_m_s);
  const double per_m_s = has_angle(s) ? unit.per_m_s : std::numeric_limits<double>::quiet_NaN();
  return {{{"peak", fixed(found.peak_m_s * per_m_s, decimals), unit.name},
           {"end of diastole", fixed(found.end_diastole_m_s * per_m_s, decimals), unit.name},
           {"resistance index", fixed(found.resistance_index, 2), ""},
           {"heart rate", fixed(found.beats_per_minute, 0), "/min"}}};
}

std::vector<SpectrogramCurve> spectrogram_curves(const Spectrogram& s, const ImagingParams& params, double span_s) {
  const auto columns = static_cast<std::uint64_t>(span_s / s.step_s()) + 1;
  const std::uint64_t from = std::max(s.first(), s.end > columns ? s.end - columns : 0);
  const double limit = s.aliasing_m_s, shift = params.doppler.baseline * limit;
  std::vector<SpectrogramCurve> curves;
  for (const auto& [values, color] : {std::pair{&s.envelope_m_s, kEnvelope}, std::pair{&s.mean_m_s, kMean}}) {
    SpectrogramCurve curve{
        .color = color, .first_s = -(static_cast<double>(s.end - from) - 0.5) * s.step_s(), .m_s = {}};
    for (std::uint64_t k = from; k < s.end; ++k) {
      auto v = static_cast<double>((*values)[Spectrogram::slot(k)]);
      if (v > limit + shift) v -= 2.0 * limit;
      if (v < -limit + shift) v += 2.0 * limit;
      const bool jumps = !curve.m_s.empty() && std::abs(static_cast<double>(curve.m_s.back()) - v) > limit;
      curve.m_s.push_back(jumps ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(v));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace echoloop
