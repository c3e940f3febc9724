#include "formats/readers/placed_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace echoloop
