#include "formats/readers/wave_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "formats/readers/geometry.h"
#include "formats/readers/wave_search.h"

namespace echoloop {
namespace {

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

struct Line {  // of the firing elements: lengths in units of half the aperture, the first delay taken away
  std::vector<double> x, ct;
  double scale_m = 1.0;
};

Line firing_line(const std::vector<double>& delays_s, const Probe& probe, double c) {
  Line line;
  double first = NAN;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (std::isnan(delays_s[e])) continue;
    if (std::isnan(first)) first = delays_s[e];
    line.x.push_back(probe.elements[e].x_m);
    line.ct.push_back((delays_s[e] - first) * c);
  }
  line.scale_m = 1e-9;
  for (const double x : line.x) line.scale_m = std::max(line.scale_m, std::abs(x));
  for (double& x : line.x) x /= line.scale_m;
  for (double& ct : line.ct) ct /= line.scale_m;
  return line;
}

// ct = const + x sin a.
std::optional<Transmit> plane_wave(const Line& line) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < line.x.size(); ++k) rows.push_back({1.0, line.x[k], 0.0, line.ct[k]});
  const auto solved = solve(rows, 2);
  if (!solved || !(std::abs((*solved)[1]) < 1.0)) return std::nullopt;
  Transmit t;
  t.angle_rad = std::asin((*solved)[1]);
  return t;
}

// |p - s| = ct + k, k < 0 for a focus: x^2 - (ct)^2 = 2 s_x x + 2 k ct + (k^2 - |s|^2), linear in three unknowns.
std::optional<Transmit> spherical_wave(const Line& line) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const double x = line.x[k], ct = line.ct[k];
    rows.push_back({1.0, x, ct, x * x - ct * ct});
  }
  const auto solved = solve(rows, 3);
  if (!solved) return std::nullopt;
  const double source_x = 0.5 * (*solved)[1], k = 0.5 * (*solved)[2];
  const double depth_squared = k * k - source_x * source_x - (*solved)[0];
  if (!(depth_squared > 0.0)) return std::nullopt;
  Transmit t;
  t.kind = k < 0.0 ? TransmitKind::focused : TransmitKind::diverging;
  t.source_x_m = source_x * line.scale_m;
  t.source_z_m = (k < 0.0 ? 1.0 : -1.0) * std::sqrt(depth_squared) * line.scale_m;
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
  if (firing.size() == 2) return law_itself(delays_s);  // any wave fits two ...
  const bool sphere_is_found = firing.size() > 3;       // ... and three fit any sphere
  if (probe.kind != ProbeKind::convex) {
    const Line line = firing_line(delays_s, probe, sound_speed_m_s);
    if (const auto plane = plane_wave(line)) candidates.push_back(*plane);
    if (auto spherical = spherical_wave(line); spherical && sphere_is_found) {
      spherical->source_z_m += probe.elements[0].z_m;
      candidates.push_back(*spherical);
    }
  }
  const auto first_that_fits = [&](std::vector<Transmit>& waves) -> std::optional<WaveFit> {
    for (Transmit& wave : waves) {
      if (const auto found = passage(wave, delays_s, probe, sound_speed_m_s, tolerance_s))
        return WaveFit{std::move(wave), *found};
    }
    return std::nullopt;
  };
  const auto with_width = [&](WaveFit fit) {
    std::vector<bool> active;
    for (const double delay : delays_s) active.push_back(!std::isnan(delay));
    fit.transmit.aperture_m = aperture_width_m(probe, active);
    return fit;
  };
  if (auto fit = first_that_fits(candidates)) return with_width(std::move(*fit));
  if (probe.kind == ProbeKind::convex && sphere_is_found) {
    auto searched = searched_waves(delays_s, firing, probe, sound_speed_m_s);
    if (auto fit = first_that_fits(searched)) return with_width(std::move(*fit));
  }
  return law_itself(delays_s);
}

}  // namespace echoloop
