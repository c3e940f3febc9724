#include "core/grid.h"

namespace echoloop {
namespace {

constexpr int kMostLines = 2048;

double half_width_m(const Probe& probe) {
  double half = 0.0;
  for (const Element& e : probe.elements) half = std::max(half, std::abs(e.x_m));
  return half + 0.5 * probe.pitch_m;
}

bool is_flat(const Probe& probe) {
  return std::all_of(probe.elements.begin(), probe.elements.end(),
                     [&](const Element& e) { return std::abs(e.z_m - probe.elements[0].z_m) < 1e-6; });
}

// Returns true for a walking aperture: foci at one depth, in front of the array.
bool walks(const Acquisition& a) {
  if (!is_flat(a.probe)) return false;
  const double half = 1.1 * half_width_m(a.probe);
  const double z = a.transmits[0].source_z_m;
  return std::all_of(a.transmits.begin(), a.transmits.end(), [&](const Transmit& t) {
    return std::abs(t.source_z_m - z) <= 0.01 * std::abs(z) && std::abs(t.source_x_m) <= half;
  });
}

// Returns for focused transmits x (m) if an aperture walks, otherwise the angle about the apex (rad).
std::vector<double> line_positions(const Acquisition& a) {
  const bool parallel = walks(a);
  const double apex_z_m = sector_apex_z_m(a.probe);
  std::vector<double> at;
  for (const Transmit& t : a.transmits)
    at.push_back(parallel ? t.source_x_m : std::atan2(t.source_x_m, t.source_z_m - apex_z_m));
  return at;
}

// Returns the distance below which transmits belong to one line.
double same_line(const std::vector<double>& sorted) { return std::max(1e-4 * (sorted.back() - sorted.front()), 1e-9); }

// Returns the larger distance to an adjacent line; 0: none.
double largest_gap(const std::vector<double>& sorted, double at) {
  const double same = same_line(sorted);
  const auto before = std::lower_bound(sorted.begin(), sorted.end(), at - same);
  const auto behind = std::upper_bound(sorted.begin(), sorted.end(), at + same);
  const double left = before == sorted.begin() ? 0.0 : at - *(before - 1);
  const double right = behind == sorted.end() ? 0.0 : *behind - at;
  return std::max(left, right);
}

bool has_kind(const Acquisition& a, TransmitKind kind) {
  return std::any_of(a.transmits.begin(), a.transmits.end(), [kind](const Transmit& t) { return t.kind == kind; });
}

}  // namespace

double sector_apex_z_m(const Probe& probe) {
  if (probe.elements.size() < 2 || is_flat(probe)) return probe.elements.empty() ? 0.0 : probe.elements[0].z_m;
  const auto by_x = [](const Element& l, const Element& r) { return l.x_m < r.x_m; };
  const auto [left, right] = std::minmax_element(probe.elements.begin(), probe.elements.end(), by_x);
  const double spread = std::sin(right->normal_rad) - std::sin(left->normal_rad);
  if (spread > 1e-6) {
    const double radius = (right->x_m - left->x_m) / spread;
    return 0.5 * (left->z_m - radius * std::cos(left->normal_rad) + right->z_m - radius * std::cos(right->normal_rad));
  }
  // Without normals: circle through the two ends and the element nearest to the middle.
  const auto middle = std::min_element(probe.elements.begin(), probe.elements.end(),
                                       [](const auto& l, const auto& r) { return std::abs(l.x_m) < std::abs(r.x_m); });
  const double x2 = right->x_m * right->x_m - middle->x_m * middle->x_m;
  const double rise = middle->z_m - right->z_m;
  if (!(rise > 1e-6)) return 0.0;
  return 0.5 * (middle->z_m + right->z_m) - 0.5 * x2 / rise;
}

bool works_as_phased(const Acquisition& a) {
  if (a.probe.kind == ProbeKind::phased) return true;
  if (a.probe.kind != ProbeKind::linear || !is_flat(a.probe)) return false;
  if (const auto lines = find_scan_lines(a); lines.has_value()) return !lines->parallel;
  const double wavelength_m = a.sound_speed_m_s / a.center_hz;
  return has_kind(a, TransmitKind::diverging) && a.probe.pitch_m > 0.0 && a.probe.pitch_m < 0.75 * wavelength_m;
}

bool looks_into_sector(const Acquisition& a) { return a.probe.kind == ProbeKind::convex || works_as_phased(a); }

bool all_focused(const Acquisition& a) {
  return !a.transmits.empty() && std::all_of(a.transmits.begin(), a.transmits.end(),
                                             [](const Transmit& t) { return t.kind == TransmitKind::focused; });
}

std::optional<ScanLines> find_scan_lines(const Acquisition& a) {
  if (!all_focused(a)) return std::nullopt;
  ScanLines lines{.parallel = walks(a), .at = line_positions(a)};
  std::vector<double> sorted = lines.at;
  std::sort(sorted.begin(), sorted.end());
  lines.first = sorted.front();
  lines.last = sorted.back();
  const double same = same_line(sorted);
  double step = lines.last - lines.first;
  for (std::size_t i = 1, run = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    run = gap > same ? 1 : run + 1;
    lines.per_line = std::max(lines.per_line, static_cast<int>(run));
    if (gap > same) step = std::min(step, gap);
  }
  if (!(step > same)) return std::nullopt;
  lines.count = std::min(static_cast<int>(std::lround((lines.last - lines.first) / step)) + 1, kMostLines);
  return lines;
}

std::vector<BeamAxis> beam_axes(const Acquisition& a) {
  const bool parallel = walks(a);
  const double apex_z_m = sector_apex_z_m(a.probe);
  const std::vector<double> at = line_positions(a);
  std::vector<double> sorted = at;
  std::sort(sorted.begin(), sorted.end());
  std::vector<BeamAxis> beams;
  for (std::size_t t = 0; t < at.size(); ++t) {
    const Transmit& transmit = a.transmits[t];
    BeamAxis beam{.focus_x_m = transmit.source_x_m, .focus_z_m = transmit.source_z_m};
    const double gap = largest_gap(sorted, at[t]);
    if (parallel) {
      beam.gap_m = gap;
    } else {
      beam.sine = std::sin(at[t]);
      beam.cosine = std::cos(at[t]);
      beam.gap_m = gap * std::hypot(transmit.source_x_m, transmit.source_z_m - apex_z_m);
      beam.gap_slope = gap;
    }
    beams.push_back(beam);
  }
  return beams;
}

int line_of(const ScanLines& lines, std::size_t tx) {
  const double share = (lines.at[tx] - lines.first) / (lines.last - lines.first);
  return static_cast<int>(std::lround(share * (lines.count - 1)));
}

}  // namespace echoloop
