#include "formats/readers/wave_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/units.h"

namespace echoloop {

double law_s(const Transmit& t, const Element& p, double c) {
  if (t.kind == TransmitKind::plane) return (p.x_m * std::sin(t.angle_rad) + p.z_m * std::cos(t.angle_rad)) / c;
  const double longer_m =
      std::hypot(p.x_m - t.source_x_m, p.z_m - t.source_z_m) - std::hypot(t.source_x_m, t.source_z_m);
  return (t.kind == TransmitKind::focused ? -longer_m : longer_m) / c;
}

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

namespace {

struct Arc {  // up to 64 of the firing elements
  std::vector<double> x_m, z_m, ct_m;
  double middle_x_m = 0.0, middle_z_m = 0.0;
};

Arc firing_arc(const std::vector<double>& delays_s, const std::vector<std::size_t>& firing, const Probe& probe,
               double c) {
  Arc arc;
  const std::size_t step = 1 + (firing.size() - 1) / 64;
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

// Spread of the delays about those of `t`, m^2.
double misfit(const Transmit& t, const Arc& arc) {
  double sum = 0.0, squares = 0.0;
  const auto n = static_cast<double>(arc.x_m.size());
  for (std::size_t e = 0; e < arc.x_m.size(); ++e) {
    const double off = arc.ct_m[e] - law_s(t, {.x_m = arc.x_m[e], .z_m = arc.z_m[e]}, 1.0);
    sum += off, squares += off * off;
  }
  return squares / n - (sum / n) * (sum / n);
}

// One step of least squares in the angle, or in the source's two coordinates.
Transmit stepped(const Transmit& t, const Arc& arc) {
  std::vector<Row> rows;
  const double sign = t.kind == TransmitKind::focused ? 1.0 : -1.0;
  for (std::size_t e = 0; e < arc.x_m.size(); ++e) {
    const double x = arc.x_m[e], z = arc.z_m[e];
    const double off = arc.ct_m[e] - law_s(t, {.x_m = x, .z_m = z}, 1.0);
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

}  // namespace

std::vector<Transmit> searched_waves(const std::vector<double>& delays_s, const std::vector<std::size_t>& firing,
                                     const Probe& probe, double sound_speed_m_s) {
  const Arc arc = firing_arc(delays_s, firing, probe, sound_speed_m_s);
  std::vector<Transmit> best(3);
  best[1].kind = TransmitKind::focused;
  best[2].kind = TransmitKind::diverging;
  std::vector<double> least(3, std::numeric_limits<double>::infinity());
  const auto try_it = [&](std::size_t kind, double angle_rad, double x_m, double z_m) {
    Transmit t = best[kind];
    t.angle_rad = angle_rad, t.source_x_m = x_m, t.source_z_m = z_m;
    const double off = misfit(t, arc);
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
    for (int k = 0; k < 12; ++k) {
      const Transmit next = stepped(best[kind], arc);
      const double off = misfit(next, arc);
      if (!(off < least[kind])) break;
      least[kind] = off, best[kind] = next;
    }
  }
  return best;
}

}  // namespace echoloop
