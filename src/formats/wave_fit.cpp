#include "formats/wave_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace echoloop {
namespace {

// Firing time of an element relative to the wave passing the origin.
double law_s(const Transmit& t, const Element& p, double c) {
  if (t.kind == TransmitKind::plane) return (p.x_m * std::sin(t.angle_rad) + p.z_m * std::cos(t.angle_rad)) / c;
  const double longer_m =
      std::hypot(p.x_m - t.source_x_m, p.z_m - t.source_z_m) - std::hypot(t.source_x_m, t.source_z_m);
  return (t.kind == TransmitKind::focused ? -longer_m : longer_m) / c;
}

// When the wave passes the origin on the law's clock, or nothing when it is another wave.
std::optional<double> passage(const Transmit& t, const std::vector<double>& delays_s, const Probe& probe, double c,
                              double tolerance_s) {
  double sum = 0.0, n = 0.0;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (!std::isnan(delays_s[e])) sum += delays_s[e] - law_s(t, probe.elements[e], c), n += 1.0;
  }
  const double mean = sum / n;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (!std::isnan(delays_s[e]) && !(std::abs(delays_s[e] - law_s(t, probe.elements[e], c) - mean) <= tolerance_s))
      return std::nullopt;
  }
  return mean;
}

constexpr std::size_t kMostUnknowns = 4;
using Row = std::array<double, kMostUnknowns + 1>;  // unknowns, and the right side last

// Least squares of rows by their normal equations; nothing when they do not determine the first n unknowns.
std::optional<std::array<double, kMostUnknowns>> solve(const std::vector<Row>& rows, std::size_t n_unknowns) {
  std::array<Row, kMostUnknowns> m{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < n_unknowns; ++i) {
      for (std::size_t j = 0; j < n_unknowns; ++j) m[i][j] += row[i] * row[j];
      m[i][kMostUnknowns] += row[i] * row[kMostUnknowns];
    }
  }
  for (std::size_t k = 0; k < n_unknowns; ++k) {  // Gauss-Jordan; a positive definite matrix needs no pivot search
    if (!(std::abs(m[k][k]) > 1e-9 * static_cast<double>(rows.size()) * (k == 0 ? 1.0 : 1e-6))) return std::nullopt;
    for (std::size_t i = 0; i < n_unknowns; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (double *to = m[i].data(), *from = m[k].data(); to != m[i].data() + m[i].size();) *to++ -= factor * *from++;
    }
  }
  std::array<double, kMostUnknowns> x{};
  for (std::size_t k = 0; k < n_unknowns; ++k) x[k] = m[k][kMostUnknowns] / m[k][k];
  return x;
}

struct Line {  // of the firing elements: lengths in units of half the aperture, the first delay taken away
  std::vector<double> x, z, ct;
  double scale_m = 1.0;
};

Line firing_line(const std::vector<double>& delays_s, const Probe& probe, double c) {
  Line line;
  double first = NAN;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (std::isnan(delays_s[e])) continue;
    if (std::isnan(first)) first = delays_s[e];
    line.x.push_back(probe.elements[e].x_m);
    line.z.push_back(probe.elements[e].z_m);
    line.ct.push_back((delays_s[e] - first) * c);
  }
  line.scale_m = 1e-9;
  for (const double x : line.x) line.scale_m = std::max(line.scale_m, std::abs(x));
  for (auto* values : {&line.x, &line.z, &line.ct}) {
    for (double& value : *values) value /= line.scale_m;
  }
  return line;
}

// ct = const + x sin a + z cos a; on a straight line the last term is part of the constant.
std::optional<Transmit> plane_wave(const Line& line, ProbeKind kind) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < line.x.size(); ++k) rows.push_back({1.0, line.x[k], line.z[k], 0.0, line.ct[k]});
  const bool curved = kind == ProbeKind::convex;
  const auto solved = solve(rows, curved ? 3 : 2);
  if (!solved || !(std::abs((*solved)[1]) < 1.0)) return std::nullopt;
  Transmit t;
  t.angle_rad = curved ? std::atan2((*solved)[1], (*solved)[2]) : std::asin((*solved)[1]);
  return t;
}

// |p - s| = ct + k, k < 0 for a focus: x^2 + z^2 - (ct)^2 = 2 s_x x + 2 s_z z + 2 k ct + (k^2 - |s|^2), linear in four
// unknowns. On a straight line (z = 0) s_z follows from the last; elsewhere it is solved for.
std::optional<Transmit> spherical_wave(const Line& line, ProbeKind kind) {
  const bool curved = kind == ProbeKind::convex;
  std::vector<Row> rows;
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const double x = line.x[k], z = curved ? line.z[k] : 0.0, ct = line.ct[k];
    rows.push_back({1.0, x, ct, z, x * x + z * z - ct * ct});
  }
  const auto solved = solve(rows, curved ? 4 : 3);
  if (!solved) return std::nullopt;
  const double source_x = 0.5 * (*solved)[1], k = 0.5 * (*solved)[2];
  const double depth_squared = k * k - source_x * source_x - (*solved)[0];
  if (!curved && !(depth_squared > 0.0)) return std::nullopt;
  Transmit t;
  t.kind = k < 0.0 ? TransmitKind::focused : TransmitKind::diverging;
  t.source_x_m = source_x * line.scale_m;
  t.source_z_m = (curved ? 0.5 * (*solved)[3] : (k < 0.0 ? 1.0 : -1.0) * std::sqrt(depth_squared)) * line.scale_m;
  return t;
}

std::vector<std::size_t> firing_elements(const std::vector<double>& delays_s) {
  std::vector<std::size_t> firing;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (!std::isnan(delays_s[e])) firing.push_back(e);
  }
  return firing;
}

// One element alone is the source of a diverging wave.
WaveFit element_wave(const Element& element, double delay_s, double sound_speed_m_s) {
  WaveFit wave;
  wave.transmit.kind = TransmitKind::diverging;
  wave.transmit.source_x_m = element.x_m;
  wave.transmit.source_z_m = element.z_m;
  wave.passage_s = delay_s + std::hypot(element.x_m, element.z_m) / sound_speed_m_s;
  return wave;
}

WaveFit law_itself(const std::vector<double>& delays_s) {
  WaveFit law;
  law.transmit.kind = TransmitKind::delays;
  law.transmit.element_delays_s = delays_s;
  return law;
}

}  // namespace

WaveFit fit_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s, double tolerance_s,
                 const std::vector<Transmit>& hints) {
  const std::vector<std::size_t> firing = firing_elements(delays_s);
  if (firing.size() == 1) return element_wave(probe.elements[firing[0]], delays_s[firing[0]], sound_speed_m_s);
  std::vector<Transmit> candidates = hints;
  if (firing.size() == 2) return law_itself(delays_s);  // any wave fits two
  const Line line = firing_line(delays_s, probe, sound_speed_m_s);
  const std::size_t n_curved = probe.kind == ProbeKind::convex ? 1 : 0;  // unknowns more
  if (firing.size() > 2 + n_curved) {
    if (const auto plane = plane_wave(line, probe.kind)) candidates.push_back(*plane);
  }
  if (firing.size() > 3 + n_curved) {
    if (const auto spherical = spherical_wave(line, probe.kind)) candidates.push_back(*spherical);
  }
  for (Transmit& candidate : candidates) {
    if (const auto found = passage(candidate, delays_s, probe, sound_speed_m_s, tolerance_s))
      return {std::move(candidate), *found};
  }
  return law_itself(delays_s);
}

}  // namespace echoloop
