#include "core/params.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace echoloop {
namespace {

// Nyquist zone [k fs/2, (k+1) fs/2] of the centre frequency: RF outside it folds onto the band.
void clip_to_nyquist_zone(ImagingParams& p, const Acquisition& a) {
  if (a.signal == SignalKind::iq) {  // has been filtered when it was made: all of it
    p.band_low_hz = std::max(a.demod_hz - 0.5 * a.sampling_hz, 0.0);
    p.band_high_hz = a.demod_hz + 0.5 * a.sampling_hz;
    return;
  }
  const double half = 0.5 * a.sampling_hz;
  const double zone = std::floor(a.center_hz / half);
  p.band_low_hz = std::max(p.band_low_hz, zone * half);
  p.band_high_hz = std::min(p.band_high_hz, (zone + 1.0) * half);
}

void default_depth(ImagingParams& p, const Acquisition& a) {
  double first_s = 0.0;
  double last_s = 1e9;
  for (const Transmit& t : a.transmits) {
    first_s = std::max(first_s, t.t0_s);
    last_s = std::min(last_s, t.t0_s + (a.n_samples - 1) / a.sampling_hz);
  }
  const double c = a.sound_speed_m_s;
  const double recorded = std::max(0.5 * c * last_s, 1e-3);
  // The last samples of the outer elements are needed by pixels well above the last depth: keep 4 % in hand.
  p.depth_max_m = std::round(0.96 * recorded * 1e4) * 1e-4;
  // The first millimetres hold the pulse itself.
  p.depth_min_m = std::round(std::min(std::max(0.5 * c * first_s, 2e-3), 0.5 * p.depth_max_m) * 1e4) * 1e-4;
}

void default_lateral(ImagingParams& p, const Acquisition& a) {
  const auto [left, right] = std::minmax_element(a.probe.elements.begin(), a.probe.elements.end(),
                                                 [](const Element& l, const Element& r) { return l.x_m < r.x_m; });
  double half = std::max({std::abs(left->x_m), std::abs(right->x_m), 1e-3}) + 0.5 * a.probe.pitch_m;
  // A curved or phased array sees beyond its own edges: 35 degrees to either side.
  if (a.probe.kind != ProbeKind::linear) half = std::max(half, p.depth_max_m * std::sin(35.0 * kRadiansPerDegree));
  p.lateral_max_m = std::round(half * 1e5) * 1e-5;
  p.lateral_min_m = -p.lateral_max_m;
}

}  // namespace

ImagingParams default_params(const Acquisition& a) {
  ImagingParams p;
  p.sound_speed_m_s = a.sound_speed_m_s;
  if (a.probe.kind == ProbeKind::phased) p.f_number = 0.0;
  // The filter cuts sharply at its edges: half as wide again as the pulse's own (-6 dB) band, so that it does not ring.
  const double half_band = a.bandwidth_hz > 0.0 ? 0.75 * a.bandwidth_hz : 0.5 * a.center_hz;
  p.band_low_hz = std::max(a.center_hz - half_band, 0.0);
  p.band_high_hz = a.center_hz + half_band;
  clip_to_nyquist_zone(p, a);
  default_depth(p, a);
  default_lateral(p, a);
  p.reference_db = kAutoReference;
  return p;
}

Grid make_grid(const ImagingParams& p, const Acquisition& a) {
  Grid grid{.x0_m = p.lateral_min_m,
            .x1_m = p.lateral_max_m,
            .z0_m = p.depth_min_m,
            .z1_m = p.depth_max_m,
            .nx = p.grid_nx,
            .nz = p.grid_nz};
  // A third of a wavelength resolves the lateral beam (at best F lambda) and the pulse (about a wavelength) ...
  double step = a.sound_speed_m_s / a.center_hz / 3.0;
  // ... but no more pixels than a picture on the screen can use.
  constexpr double kMaxPixels = 240000.0;
  const double wanted = (p.lateral_max_m - p.lateral_min_m) / step * ((p.depth_max_m - p.depth_min_m) / step);
  if (wanted > kMaxPixels) step *= std::sqrt(wanted / kMaxPixels);
  const auto count = [step](double length) {
    return std::clamp(static_cast<int>(std::lround(length / step)) + 1, 32, 2048);
  };
  if (grid.nx == 0) grid.nx = count(p.lateral_max_m - p.lateral_min_m);
  if (grid.nz == 0) grid.nz = count(p.depth_max_m - p.depth_min_m);
  return grid;
}

}  // namespace echoloop
