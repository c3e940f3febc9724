#include "dsp/das.h"

#include <algorithm>
#include <limits>

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

}  // namespace

double transmit_delay_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                        const BeamAxis* axis) {
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
