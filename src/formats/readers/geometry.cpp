#include "formats/readers/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr double kMicrometre = 1e-6;
constexpr double kOffPlane_m = 1e-4;  // lengthens the path to a point 5 mm deep by a micrometre

void check_places(const std::string& what, const Places& places) {
  const std::size_t n = places.x_m.size();
  if (n == 0 || n > static_cast<std::size_t>(kMaxElements))
    throw Error(what, counted(n, "element"), "1 to " + std::to_string(kMaxElements));
  for (std::size_t e = 0; e < n; ++e) {
    const double x = places.x_m[e], y = places.y_m[e], z = places.z_m[e];
    if (!std::isfinite(x + y + z) || std::abs(x) > 1.0 || std::abs(z) > 1.0) {
      throw Error(what,
                  "element " + std::to_string(e) + " at (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                      std::to_string(z) + ") m",
                  "positions within 1 m");
    }
    if (std::abs(y) > kOffPlane_m) {
      throw Error(what, "element " + std::to_string(e) + " at y = " + std::to_string(y * 1e3) + " mm",
                  "one row of elements in the plane y = 0; matrix arrays are not supported");
    }
  }
}

// Returns normals to the line between neighbours, towards +z; the first and last continue the bend next to them.
std::vector<double> bend_normals(const std::vector<double>& x, const std::vector<double>& z) {
  const std::size_t n = x.size();
  std::vector<double> gap(n - 1), normal(n);
  for (std::size_t e = 0; e + 1 < n; ++e) {
    const double side = x[e + 1] < x[e] ? -1.0 : 1.0;
    gap[e] = std::atan2(-side * (z[e + 1] - z[e]), side * (x[e + 1] - x[e]));
  }
  for (std::size_t e = 1; e + 1 < n; ++e) normal[e] = 0.5 * (gap[e - 1] + gap[e]);
  const double first_bend = n > 2 ? gap[1] - gap[0] : 0.0, last_bend = n > 2 ? gap[n - 2] - gap[n - 3] : 0.0;
  normal[0] = gap[0] - 0.5 * first_bend;
  normal[n - 1] = gap[n - 2] + 0.5 * last_bend;
  return normal;
}

void check_apart(const std::string& what, const std::vector<double>& x, const std::vector<double>& z) {
  for (std::size_t e = 1; e < x.size(); ++e) {
    if (std::hypot(x[e] - x[e - 1], z[e] - z[e - 1]) > 0.1 * kMicrometre) continue;
    throw Error(
        what, "elements " + std::to_string(e) + " and " + std::to_string(e + 1) + " at the same or undefined positions",
        "a pitch above 0");
  }
}

}  // namespace

Probe listed_probe(const std::string& what, const std::vector<double>& x_m, const std::vector<double>& z_m,
                   std::vector<double> normal_rad) {
  const std::size_t n = x_m.size();
  check_apart(what, x_m, z_m);
  const bool curved = std::any_of(z_m.begin(), z_m.end(), [&](double z) { return std::abs(z - z_m[0]) > 1e-9; });
  if (normal_rad.empty()) normal_rad = curved ? bend_normals(x_m, z_m) : std::vector<double>(n, 0.0);
  Probe probe{.name = curved ? "convex array" : "linear array",
              .kind = curved ? ProbeKind::convex : ProbeKind::linear,
              .pitch_m = n > 1 ? std::hypot(x_m[1] - x_m[0], z_m[1] - z_m[0]) : 0.0,
              .element_width_m = 0.0,
              .elements = {}};
  for (std::size_t e = 0; e < n; ++e)
    probe.elements.push_back({.x_m = x_m[e], .z_m = z_m[e], .normal_rad = normal_rad[e]});
  return probe;
}

Places places_of(const std::string& what, const std::vector<double>& table, std::size_t n_axes, TableOrder order) {
  if (n_axes < 3 || table.size() % n_axes != 0) {
    throw Error(what, counted(table.size(), "number") + " in rows of " + std::to_string(n_axes),
                "x, y and z of each element");
  }
  const std::size_t n = table.size() / n_axes;
  Places places;
  for (std::size_t e = 0; e < n; ++e) {
    const auto at = [&](std::size_t axis) {
      return table[order == TableOrder::axis_first ? axis * n + e : e * n_axes + axis];
    };
    places.x_m.push_back(at(0));
    places.y_m.push_back(at(1));
    places.z_m.push_back(at(2));
  }
  return places;
}

PlacedProbe place_probe(const std::string& what, const Places& places) {
  check_places(what, places);
  check_apart(what, places.x_m, places.z_m);
  const std::vector<double>&x = places.x_m, &z = places.z_m;
  const std::size_t n = x.size();
  const auto [low, high] = std::minmax_element(z.begin(), z.end());
  const bool curved = *high - *low > kMicrometre;
  PlacedProbe placed;
  const auto [left, right] = std::minmax_element(x.begin(), x.end());
  placed.origin_x_m = curved ? 0.5 * (x.front() + x.back()) : 0.5 * (*left + *right);
  if (std::abs(placed.origin_x_m) < kMicrometre) placed.origin_x_m = 0.0;
  // A flat array at z = 0 within rounding is set exactly to 0.
  const double flat_z_m = std::abs(z.front()) > kMicrometre ? z.front() : 0.0;

  Probe& probe = placed.probe;
  probe.name = curved ? "convex array" : "linear array";
  probe.kind = curved ? ProbeKind::convex : ProbeKind::linear;
  const bool given = std::any_of(places.normal_rad.begin(), places.normal_rad.end(),
                                 [](double normal) { return std::abs(normal) > 1e-6; });
  const std::vector<double> normals = !curved ? std::vector<double>(n, 0.0)
                                      : given ? places.normal_rad
                                              : bend_normals(x, z);
  double length = 0.0;
  for (std::size_t e = 0; e < n; ++e) {
    probe.elements.push_back(
        {.x_m = x[e] - placed.origin_x_m, .z_m = curved ? z[e] : flat_z_m, .normal_rad = normals[e]});
    if (e > 0) length += std::hypot(x[e] - x[e - 1], z[e] - z[e - 1]);
  }
  probe.pitch_m = n > 1 ? length / static_cast<double>(n - 1) : 0.0;
  return placed;
}

double move_origin(const PlacedProbe& placed, double sound_speed_m_s, Transmit& t) {
  const double dx = placed.origin_x_m;
  if (t.kind == TransmitKind::delays || dx == 0.0) return 0.0;
  const double later_s = arrival_s(t, placed.probe, dx, 0.0, sound_speed_m_s);
  if (t.kind != TransmitKind::plane) t.source_x_m -= dx;
  return later_s;
}

std::string moved_text(const PlacedProbe& placed) {
  if (placed.origin_x_m == 0.0) return {};
  const std::string text = std::to_string(placed.origin_x_m / kMetresPerMillimetre);
  return "x is measured from the centre of the array, at x = " + text.substr(0, text.size() - 3) + " mm in the file";
}

namespace {

void check_pitch(const std::string& what, int n_elements, double pitch_m) {
  if (n_elements > 1 && !(pitch_m > 0.0)) {
    throw Error(what, "pitch of " + std::to_string(pitch_m * 1e3) + " mm for " + counted(n_elements, "element"),
                "a pitch above 0");
  }
}

}  // namespace

Probe make_pitch_probe(const std::string& what, int n_elements, double pitch_m, double width_m) {
  check_pitch(what, n_elements, pitch_m);
  return make_linear_probe("linear array", n_elements, pitch_m, width_m);
}

Probe make_convex_probe(const std::string& what, int n_elements, double pitch_m, double radius_m, double width_m) {
  check_pitch(what, n_elements, pitch_m);
  const double step_rad = 2.0 * std::asin(pitch_m / (2.0 * radius_m));
  const double half_rad = 0.5 * step_rad * (n_elements - 1);
  if (!(radius_m > 0.0) || !(half_rad <= kPi / 2)) {
    throw Error(what,
                counted(n_elements, "element") + " of pitch " + std::to_string(pitch_m * 1e3) + " mm on a radius of " +
                    std::to_string(radius_m * 1e3) + " mm",
                "at most half a circle");
  }
  Probe probe{.name = "convex array",
              .kind = ProbeKind::convex,
              .pitch_m = pitch_m,
              .element_width_m = width_m,
              .elements = {}};
  for (int e = 0; e < n_elements; ++e) {
    const double angle = (e - 0.5 * (n_elements - 1)) * step_rad;
    probe.elements.push_back({.x_m = radius_m * std::sin(angle),
                              .z_m = radius_m * (std::cos(angle) - std::cos(half_rad)),
                              .normal_rad = angle});
  }
  return probe;
}

double first_firing_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s,
                      const std::vector<bool>& active) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (!active.empty() && !active[e]) continue;
    const Element& p = probe.elements[e];
    const double fires_s = transmit.kind == TransmitKind::delays
                               ? transmit.element_delays_s[e]
                               : arrival_s(transmit, probe, p.x_m, p.z_m, sound_speed_m_s);
    if (!std::isnan(fires_s)) first = std::min(first, fires_s);
  }
  return first;
}

double aperture_width_m(const Probe& probe, const std::vector<bool>& active) {
  const Element* first = nullptr;
  const Element* last = nullptr;
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (!active.empty() && !active[e]) continue;
    last = &probe.elements[e];
    if (first == nullptr) first = last;
  }
  return first == nullptr ? 0.0 : std::hypot(last->x_m - first->x_m, last->z_m - first->z_m) + probe.pitch_m;
}

namespace {

// Fits waves to a law of firing times on a curved array, exactly or approximately; with functions for every fit.

using Row = std::array<double, 4>;  // three unknowns and the right-hand side
const Probe kNoProbe;               // unused except for explicit delays

// Solves rows by least squares with normal equations; nullopt if they do not determine the unknowns.
std::optional<std::array<double, 3>> solve(const std::vector<Row>& rows, std::size_t n_unknowns) {
  std::array<Row, 3> m{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < n_unknowns; ++i) {
      for (std::size_t j = 0; j < n_unknowns; ++j) m[i][j] += row[i] * row[j];
      m[i][3] += row[i] * row[3];
    }
  }
  for (std::size_t k = 0; k < n_unknowns; ++k) {  // Gauss-Jordan; a positive definite matrix needs no pivot search
    if (!(std::abs(m[k][k]) > 1e-9 * static_cast<double>(rows.size()) * (k == 0 ? 1.0 : 1e-6))) return std::nullopt;
    for (std::size_t i = 0; i < n_unknowns; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = 0; j < 4; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  std::array<double, 3> x{};
  for (std::size_t k = 0; k < n_unknowns; ++k) x[k] = m[k][3] / m[k][k];
  return x;
}

struct Arc {  // subset of the firing elements
  std::vector<double> x_m, z_m, ct_m;
  double middle_x_m = 0.0, middle_z_m = 0.0;
};

Arc firing_arc(const std::vector<double>& delays_s, const std::vector<std::size_t>& firing, const Probe& probe,
               double c, std::size_t most) {
  Arc arc;
  const std::size_t step = 1 + (firing.size() - 1) / most;
  for (std::size_t k = 0; k < firing.size(); k += step) {
    const Element& e = probe.elements[firing[k]];
    arc.x_m.push_back(e.x_m);
    arc.z_m.push_back(e.z_m);
    arc.ct_m.push_back((delays_s[firing[k]] - delays_s[firing[0]]) * c);
  }
  const auto n = static_cast<double>(arc.x_m.size());
  arc.middle_x_m = std::accumulate(arc.x_m.begin(), arc.x_m.end(), 0.0) / n;
  arc.middle_z_m = std::accumulate(arc.z_m.begin(), arc.z_m.end(), 0.0) / n;
  return arc;
}

// Returns the variance of the delays relative to those of `t`, m^2.
double misfit(const Transmit& t, const Arc& arc) {
  double sum = 0.0, squares = 0.0;
  const auto n = static_cast<double>(arc.x_m.size());
  for (std::size_t e = 0; e < arc.x_m.size(); ++e) {
    const double off = arc.ct_m[e] - arrival_s(t, kNoProbe, arc.x_m[e], arc.z_m[e], 1.0);
    sum += off, squares += off * off;
  }
  return squares / n - (sum / n) * (sum / n);
}

// Takes one least-squares step in the angle, or in the source's two coordinates.
Transmit stepped(const Transmit& t, const Arc& arc) {
  std::vector<Row> rows;
  const double sign = t.kind == TransmitKind::focused ? 1.0 : -1.0;
  for (std::size_t e = 0; e < arc.x_m.size(); ++e) {
    const double x = arc.x_m[e], z = arc.z_m[e];
    const double off = arc.ct_m[e] - arrival_s(t, kNoProbe, x, z, 1.0);
    if (t.kind == TransmitKind::plane) {
      rows.push_back({1.0, x * std::cos(t.angle_rad) - z * std::sin(t.angle_rad), 0.0, off});
      continue;
    }
    const double away = std::max(std::hypot(x - t.source_x_m, z - t.source_z_m), 1e-6);
    rows.push_back({1.0, sign * (x - t.source_x_m) / away, sign * (z - t.source_z_m) / away, off});
  }
  const auto step = solve(rows, t.kind == TransmitKind::plane ? 2 : 3);
  if (!step) return t;
  Transmit next = t;
  if (t.kind == TransmitKind::plane) {
    next.angle_rad += (*step)[1];
  } else {
    next.source_x_m += (*step)[1];
    next.source_z_m += (*step)[2];
  }
  return next;
}

// Returns the plane, focused and diverging wave nearest to the delays of `firing`, indices of elements. The equations
// are not linear: the best of a coarse set of waves is refined by Gauss-Newton steps.
std::vector<Transmit> searched_waves(const std::vector<double>& delays_s, const std::vector<std::size_t>& firing,
                                     const Probe& probe, double sound_speed_m_s, std::size_t most) {
  const Arc arc = firing_arc(delays_s, firing, probe, sound_speed_m_s, most);
  const Arc coarse = firing_arc(delays_s, firing, probe, sound_speed_m_s, 12);  // for speed: 16,384 laws need seconds
  std::vector<Transmit> best(3);
  best[1].kind = TransmitKind::focused;
  best[2].kind = TransmitKind::diverging;
  std::vector<double> least(3, std::numeric_limits<double>::infinity());
  const auto try_it = [&](std::size_t kind, double angle_rad, double x_m, double z_m) {
    Transmit t = best[kind];
    t.angle_rad = angle_rad, t.source_x_m = x_m, t.source_z_m = z_m;
    const double off = misfit(t, coarse);
    if (off < least[kind]) least[kind] = off, best[kind] = t;
  };
  for (double angle = -80.0 * kRadiansPerDegree; angle < 1.4; angle += 5.0 * kRadiansPerDegree) {
    try_it(0, angle, 0.0, 0.0);
    for (double away_m = 5e-3; away_m < 0.7; away_m *= 1.4) {
      const double x_m = away_m * std::sin(angle), z_m = away_m * std::cos(angle);
      try_it(1, 0.0, arc.middle_x_m + x_m, arc.middle_z_m + z_m);
      try_it(2, 0.0, arc.middle_x_m - x_m, arc.middle_z_m - z_m);
    }
  }
  for (std::size_t kind = 0; kind < 3; ++kind) {
    least[kind] = misfit(best[kind], arc);
    for (int k = 0; k < 12; ++k) {
      const Transmit next = stepped(best[kind], arc);
      const double off = misfit(next, arc);
      if (!(off < least[kind])) break;
      least[kind] = off, best[kind] = next;
    }
  }
  return best;
}

// Returns the time of the wave's passage of the origin on the law's clock; nullopt if it is another wave.
std::optional<double> passage(const Transmit& t, const std::vector<double>& delays_s, const Probe& probe, double c,
                              double tolerance_s) {
  const auto off_s = [&](std::size_t e) {
    return delays_s[e] - arrival_s(t, probe, probe.elements[e].x_m, probe.elements[e].z_m, c);
  };
  double sum = 0.0, n = 0.0;
  for (std::size_t e = 0; e < delays_s.size(); ++e)
    if (!std::isnan(delays_s[e])) sum += off_s(e), n += 1.0;
  const double mean = sum / n;
  for (std::size_t e = 0; e < delays_s.size(); ++e)
    if (!std::isnan(delays_s[e]) && !(std::abs(off_s(e) - mean) <= tolerance_s)) return std::nullopt;
  return mean;
}

struct Line {  // firing elements: lengths in units of half the aperture, relative to the first delay
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

// Fits ct = const + x sin a.
std::optional<Transmit> plane_wave(const Line& line) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < line.x.size(); ++k) rows.push_back({1.0, line.x[k], 0.0, line.ct[k]});
  const auto solved = solve(rows, 2);
  if (!solved || !(std::abs((*solved)[1]) < 1.0)) return std::nullopt;
  Transmit t;
  t.angle_rad = std::asin((*solved)[1]);
  return t;
}

// Fits |p - s| = ct + k, k < 0 for a focus: x^2 - (ct)^2 = 2 s_x x + 2 k ct + (k^2 - |s|^2), linear in 3 unknowns.
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
  for (std::size_t e = 0; e < delays_s.size(); ++e)
    if (!std::isnan(delays_s[e])) firing.push_back(e);
  return firing;
}

// Returns the diverging wave of a single element, its source.
WaveFit element_wave(const Element& element, double delay_s, double sound_speed_m_s) {
  WaveFit wave;
  wave.transmit.kind = TransmitKind::diverging;
  wave.transmit.source_x_m = element.x_m;
  wave.transmit.source_z_m = element.z_m;
  wave.passage_s = delay_s + std::hypot(element.x_m, element.z_m) / sound_speed_m_s;
  return wave;
}

WaveFit with_width(WaveFit fit, const std::vector<double>& delays_s, const Probe& probe) {
  std::vector<bool> active;
  for (const double delay : delays_s) active.push_back(!std::isnan(delay));
  fit.transmit.aperture_m = aperture_width_m(probe, active);
  return fit;
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
  if (firing.size() == 2) return law_itself(delays_s);  // two fit any wave ...
  const bool sphere_is_found = firing.size() > 3;       // ... and three any sphere
  if (probe.kind != ProbeKind::convex) {
    const Line line = firing_line(delays_s, probe, sound_speed_m_s);
    if (const auto plane = plane_wave(line)) candidates.push_back(*plane);
    if (auto spherical = spherical_wave(line); spherical && sphere_is_found) {
      spherical->source_z_m += probe.elements[0].z_m;
      candidates.push_back(*spherical);
    }
  }
  const auto first_that_fits = [&](std::vector<Transmit>& waves) -> std::optional<WaveFit> {
    for (Transmit& wave : waves)
      if (const auto found = passage(wave, delays_s, probe, sound_speed_m_s, tolerance_s))
        return WaveFit{std::move(wave), *found};
    return std::nullopt;
  };
  if (auto fit = first_that_fits(candidates)) return with_width(std::move(*fit), delays_s, probe);
  if (probe.kind == ProbeKind::convex && sphere_is_found) {
    auto searched = searched_waves(delays_s, firing, probe, sound_speed_m_s, 64);
    if (auto fit = first_that_fits(searched)) return with_width(std::move(*fit), delays_s, probe);
  }
  return law_itself(delays_s);
}

WaveFit fit_nearest_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s,
                         double tolerance_s) {
  constexpr std::size_t kLeastFiring = 16;  // fewer fit any wave with such tolerances
  const std::vector<std::size_t> firing = firing_elements(delays_s);
  if (firing.size() < kLeastFiring) return law_itself(delays_s);
  const std::vector<Transmit> waves = searched_waves(delays_s, firing, probe, sound_speed_m_s, firing.size());
  const Arc arc = firing_arc(delays_s, firing, probe, sound_speed_m_s, firing.size());
  std::size_t nearest = 0;
  double least = 0.5 * misfit(waves[0], arc);  // preferred, as a distant spherical wave fits all that a plane wave does
  for (const std::size_t k : {1, 2})
    if (const double off = misfit(waves[k], arc); off < least) least = off, nearest = k;
  const auto found = passage(waves[nearest], delays_s, probe, sound_speed_m_s, tolerance_s);
  return found ? with_width({waves[nearest], *found}, delays_s, probe) : law_itself(delays_s);
}

}  // namespace echoloop
