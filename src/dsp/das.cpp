#include "dsp/das.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace echoloop {
namespace {

double focused_delay_s(const Transmit& t, double x_m, double z_m, double c_m_s, const BeamAxis* axis) {
  const double to_focus = std::hypot(t.source_x_m, t.source_z_m);
  const double from_focus = std::hypot(x_m - t.source_x_m, z_m - t.source_z_m);
  // "Below": beyond the focus along the beam's axis.
  const double sine = axis != nullptr ? axis->sine : t.source_x_m / std::max(to_focus, 1e-12);
  const double cosine = axis != nullptr ? axis->cosine : t.source_z_m / std::max(to_focus, 1e-12);
  const bool below = (x_m - t.source_x_m) * sine + (z_m - t.source_z_m) * cosine >= 0.0;
  return (to_focus + (below ? from_focus : -from_focus)) / c_m_s;
}

// Returns the path from an element to (x, z) through the lens, in metres of the medium.
double refracted_path_m(const Element& e, const Lens& lens, double x_m, double z_m, double c_m_s) {
  const double dx = x_m - e.x_m, dz = z_m - e.z_m;
  const double sine = std::sin(e.normal_rad), cosine = std::cos(e.normal_rad);
  const double along = dx * sine + dz * cosine, across = std::hypot(dx * cosine - dz * sine, e.y_m);
  if (along <= lens.thickness_m) return std::hypot(along, across);  // in the lens: without a receiving element
  return std::hypot(along, across) + lens_excess_m(across, along, lens.thickness_m, c_m_s / lens.sound_speed_m_s);
}

// First or last arrival of the elements' paths.
enum class Arrival { first, last };

double arrival_of_elements_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                             const BeamAxis* axis) {
  Arrival wanted = Arrival::first;
  double centre_m = 0.0, reach_m = std::numeric_limits<double>::infinity();
  if (t.kind == TransmitKind::focused) {
    const double to_focus = std::hypot(t.source_x_m, t.source_z_m);
    const double sine = axis != nullptr ? axis->sine : t.source_x_m / std::max(to_focus, 1e-12);
    const double cosine = axis != nullptr ? axis->cosine : t.source_z_m / std::max(to_focus, 1e-12);
    if ((x_m - t.source_x_m) * sine + (z_m - t.source_z_m) * cosine >= 0.0) wanted = Arrival::last;
    centre_m = t.source_x_m - t.source_z_m * sine / std::max(cosine, 1e-3);
    if (t.aperture_m > 0.0) reach_m = 0.5 * t.aperture_m;
  }
  double arrival_s = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    const Element& element = probe.elements[e];
    const bool silent =
        t.kind == TransmitKind::delays ? std::isnan(t.element_delays_s[e]) : std::abs(element.x_m - centre_m) > reach_m;
    if (silent) continue;
    const double fires_s = t.kind == TransmitKind::delays
                               ? t.element_delays_s[e]
                               : echoloop::arrival_s(t, probe, element.x_m, element.z_m, c_m_s);
    const double at_s = fires_s + refracted_path_m(element, probe.lens, x_m, z_m, c_m_s) / c_m_s;
    const bool better = wanted == Arrival::first ? at_s < arrival_s : at_s > arrival_s;
    if (better || std::isnan(arrival_s)) arrival_s = at_s;
  }
  return std::isnan(arrival_s) ? echoloop::arrival_s(t, probe, x_m, z_m, c_m_s) : arrival_s;
}

// Returns the arrival from the last element on the side of a point beside the beam, where no ray of the wave passes;
// nullopt: a ray from between the elements does. sine: of the ray in the medium.
std::optional<double> beside_beam_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                                    double sine) {
  const Lens& lens = probe.lens;
  const auto [left, right] = std::ranges::minmax_element(probe.elements, {}, &Element::x_m);
  const double in_lens = std::clamp(sine * lens.sound_speed_m_s / c_m_s, -0.999, 0.999);
  const double beyond_m = z_m - left->z_m - lens.thickness_m;
  const double leaves_m = x_m - lens.thickness_m * in_lens / std::sqrt(1.0 - in_lens * in_lens) -
                          beyond_m * sine / std::sqrt(1.0 - std::min(sine * sine, 0.999));
  if (leaves_m >= left->x_m && leaves_m <= right->x_m) return std::nullopt;
  const Element& last = leaves_m < left->x_m ? *left : *right;
  return arrival_s(t, probe, last.x_m, last.z_m, c_m_s) + refracted_path_m(last, lens, x_m, z_m, c_m_s) / c_m_s;
}

double refracted_delay_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                         const BeamAxis* axis) {
  const Lens& lens = probe.lens;
  const double front_m = probe.elements.front().z_m;
  const bool flat = probe.kind != ProbeKind::convex;
  if (flat && t.kind == TransmitKind::plane) {
    const double out_of_plane = std::cos(t.elevation_rad);
    const double along_x = std::sin(t.angle_rad) * out_of_plane, down = std::cos(t.angle_rad) * out_of_plane;
    const double slow = c_m_s / lens.sound_speed_m_s;
    if (const auto beside_s = beside_beam_s(t, probe, x_m, z_m, c_m_s, along_x)) return *beside_s;
    const double in_lens = std::sqrt(std::max(slow * slow - (1.0 - down * down), 0.0));
    return (x_m * along_x + (z_m - lens.thickness_m) * down + lens.thickness_m * in_lens) / c_m_s;
  }
  if (flat && t.kind == TransmitKind::diverging && t.source_z_m <= front_m && z_m > front_m + lens.thickness_m) {
    const double h = std::abs(x_m - t.source_x_m), z = z_m - t.source_z_m;
    const double path_m = std::hypot(h, z) + lens_excess_m(h, z, lens.thickness_m, c_m_s / lens.sound_speed_m_s);
    return (path_m - std::hypot(t.source_x_m, t.source_z_m)) / c_m_s;
  }
  return arrival_of_elements_s(t, probe, x_m, z_m, c_m_s, axis);
}

}  // namespace

double transmit_delay_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                        const BeamAxis* axis) {
  if (probe.lens.refracts() && t.kind != TransmitKind::none) return refracted_delay_s(t, probe, x_m, z_m, c_m_s, axis);
  return t.kind == TransmitKind::focused ? focused_delay_s(t, x_m, z_m, c_m_s, axis)
                                         : arrival_s(t, probe, x_m, z_m, c_m_s);
}

namespace {

Apodization window_of(TransmitCone cone) {
  if (cone == TransmitCone::hann) return Apodization::hann;
  return cone == TransmitCone::tukey ? Apodization::tukey : Apodization::boxcar;
}

// Returns the half width of the narrowest window in beam spacings: the windows of evenly spaced beams then add up to a
// constant, and two or three beams share every pixel.
double least_half_width(TransmitCone cone) { return cone == TransmitCone::tukey ? 4.0 / 3.0 : 1.5; }

}  // namespace

void weigh_transmits(std::span<const BeamAxis> beams, const TransmitCones& cones, double x_m, double z_m,
                     std::span<float> weights) {
  const Apodization window = window_of(cones.window);
  const double least = least_half_width(cones.window);
  double sum = 0.0;
  double nearest_m = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t t = 0; t < beams.size(); ++t) {
    const BeamAxis& beam = beams[t];
    const double dx = x_m - beam.focus_x_m, dz = z_m - beam.focus_z_m;
    const double along_m = dx * beam.sine + dz * beam.cosine;
    const double across_m = std::abs(dx * beam.cosine - dz * beam.sine);
    if (across_m < nearest_m) nearest = t, nearest_m = across_m;
    double place = 0.0;  // in the window, which ends at 1/2
    if (cones.f_number > 0.0) {
      const double half_width_m =
          std::max(0.5 * std::abs(along_m) / cones.f_number, least * (beam.gap_m + beam.gap_slope * along_m));
      place = across_m < half_width_m ? 0.5 * across_m / half_width_m : 1.0;
    }
    weights[t] = apodization_weight(window, static_cast<float>(place));
    sum += static_cast<double>(weights[t]);
  }
  if (!(sum > 0.0)) {
    std::ranges::fill(weights, 0.0F);
    weights[nearest] = 1.0F;
    return;
  }
  for (float& weight : weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
}

}  // namespace echoloop
