#include "measure/pulses.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace echoloop {
namespace {

constexpr double kPeakWidth = 0.03, kEndWidth = 0.08;  // of a period: averaged against noise
constexpr double kStep_s = 0.01;                       // of the values that are searched for beats
constexpr double kShortest_s = 60.0 / 220.0, kLongest_s = 2.0;
constexpr double kAlike = 0.5;     // least correlation of a beat with the next one, and least rise to it
constexpr double kAsAlike = 0.85;  // of the best period: the shortest such one is no multiple
constexpr double kAliased = 0.02;  // share of columns at the limit
constexpr double kSearched = 0.3;  // of a period: tolerance of a peak's place
constexpr double kDiastole = 0.5;  // of a period before the peak

// Returns means of neighbouring columns, positive in the direction of the flow; NaN without a value.
std::vector<double> averaged(std::span<const float> curve, std::size_t columns, double sign) {
  std::vector<double> means;
  for (std::size_t i = 0; i + columns <= curve.size(); i += columns) {
    double sum = 0.0, n = 0.0;
    for (const float v : curve.subspan(i, columns)) {
      if (!std::isfinite(v)) continue;
      sum += static_cast<double>(v);
      n += 1.0;
    }
    means.push_back(sign * sum / n);
  }
  return means;
}

// Returns the correlation of the values with those `lag` later; NaN if most of these are missing.
double correlation(std::span<const double> v, std::size_t lag) {
  double n = 0.0, a = 0.0, b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
  for (std::size_t i = 0; i + lag < v.size(); ++i) {
    const double x = v[i], y = v[i + lag];
    if (!std::isfinite(x + y)) continue;
    n += 1.0;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  if (2.0 * n < static_cast<double>(v.size() - lag)) return PulseValues::kUnknown;
  return (n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * bb - b * b));
}

// Returns the period in steps; NaN: none.
double period(std::span<const double> v, double step_s) {
  const auto longest = std::min(v.size() / 2, static_cast<std::size_t>(kLongest_s / step_s) + 1);
  std::vector<double> alike(longest + 2, PulseValues::kUnknown);
  for (std::size_t lag = 1; lag < alike.size() && lag < v.size(); ++lag) alike[lag] = correlation(v, lag);
  double least = 1.0, best = 0.0;
  std::vector<std::size_t> found;
  for (std::size_t lag = 1; lag <= longest; ++lag) {
    if (std::isfinite(alike[lag])) least = std::min(least, alike[lag]);
    const bool top = alike[lag] >= alike[lag - (lag > 1 ? 1 : 0)] && alike[lag] >= alike[lag + 1];
    if (!top || static_cast<double>(lag) * step_s < kShortest_s) continue;
    if (!(alike[lag] >= kAlike && alike[lag] - least >= kAlike)) continue;
    found.push_back(lag);
    best = std::max(best, alike[lag]);
  }
  for (const std::size_t lag : found) {
    if (alike[lag] < kAsAlike * best) continue;
    const double before = alike[lag - 1], at = alike[lag], after = alike[lag + 1], bend = before - 2.0 * at + after;
    return static_cast<double>(lag) + (bend < 0.0 ? 0.5 * (before - after) / bend : 0.0);
  }
  return PulseValues::kUnknown;
}

// Returns the greatest of the values [from, to] by its index; nothing if that is the first or the last value.
std::optional<std::size_t> top_between(std::span<const double> v, double from, double to) {
  const auto begin = static_cast<std::size_t>(std::max(0.0, std::round(from)));
  const auto end = static_cast<std::size_t>(std::clamp(std::round(to) + 1.0, 0.0, static_cast<double>(v.size())));
  std::optional<std::size_t> top;
  for (std::size_t i = begin; i < end; ++i) {
    if (std::isfinite(v[i]) && (!top || v[i] > v[*top])) top = i;
  }
  return top && *top > 0 && *top + 1 < v.size() ? top : std::nullopt;
}

// Returns the peaks of the beats: the greatest value, and those about a period before and after each.
std::vector<std::size_t> peaks_of(std::span<const double> v, double beat) {
  std::vector<std::size_t> peaks;
  for (const double way : {-beat, beat}) {
    auto top = top_between(v, 1.0, static_cast<double>(v.size()) - 2.0);
    while (top) {
      if (way < 0.0 || *top != peaks.front()) peaks.push_back(*top);
      const double next = static_cast<double>(*top) + way;
      top = next < 0.0 ? std::nullopt : top_between(v, next - kSearched * beat, next + kSearched * beat);
    }
  }
  return peaks;
}

// Returns the mean of the values around one, over `width` of them; NaN without any.
double mean_around(std::span<const double> v, std::size_t at, double width) {
  const auto reach = static_cast<std::size_t>(0.5 * width);
  double sum = 0.0, n = 0.0;
  for (std::size_t i = at - std::min(at, reach); i < std::min(v.size(), at + reach + 1); ++i) {
    if (!std::isfinite(v[i])) continue;
    sum += v[i];
    n += 1.0;
  }
  return sum / n;
}

// Returns the least value before a beat's rise; NaN if most of these are missing.
double end_before(std::span<const double> v, std::size_t peak, double beat) {
  const auto reach = static_cast<std::size_t>(std::ceil(kDiastole * beat));
  if (peak < reach) return PulseValues::kUnknown;
  std::size_t known = 0;
  double least = PulseValues::kUnknown;
  for (std::size_t i = peak - reach; i < peak; ++i) {
    known += std::isfinite(v[i]) ? 1 : 0;
    least = std::fmin(least, mean_around(v, i, kEndWidth * beat));
  }
  return 2 * known < reach ? PulseValues::kUnknown : least;
}

double median(std::vector<double>& v) {
  std::ranges::sort(v);
  return v.empty() ? PulseValues::kUnknown : 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
}

}  // namespace

PulseValues measure_pulses(std::span<const float> curve, double step_s, double limit_m_s) {
  double sum = 0.0, at_limit = 0.0, n = 0.0;
  for (const float v : curve) {
    if (!std::isfinite(v)) continue;
    sum += static_cast<double>(v);
    at_limit += std::abs(static_cast<double>(v)) >= limit_m_s ? 1.0 : 0.0;
    n += 1.0;
  }
  if (!(step_s > 0.0) || at_limit > kAliased * n) return {};
  const double sign = sum < 0.0 ? -1.0 : 1.0;
  const auto columns = static_cast<std::size_t>(std::max(1.0, std::round(kStep_s / step_s)));
  const std::vector<double> v = averaged(curve, columns, sign);
  const double step = static_cast<double>(columns) * step_s, beat = period(v, step);
  if (!std::isfinite(beat)) return {};
  std::vector<double> tops, ends;
  for (const std::size_t peak : peaks_of(v, beat)) {
    tops.push_back(mean_around(v, peak, kPeakWidth * beat));
    if (const double end = end_before(v, peak, beat); std::isfinite(end)) ends.push_back(end);
  }
  if (tops.size() < 2) return {};
  const double top = median(tops), end = median(ends);
  return {.peak_m_s = sign * top,
          .end_diastole_m_s = sign * end,
          .resistance_index = (top - end) / top,
          .beats_per_minute = 60.0 / (beat * step)};
}

}  // namespace echoloop
