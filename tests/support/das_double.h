// das_pixel() in double precision, with the same interpolation: reference for kernels of less precision.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "backend/plan.h"
#include "core/params.h"
#include "core/units.h"
#include "dsp/das.h"

namespace echoloop::testing {

inline std::complex<double> das_pixel_double(const Plan& plan, const std::vector<Complex>& lines, int ix, int iz) {
  const Acquisition& a = *plan.formed;
  const DasGeometry& g = plan.das->geometry;
  const Grid& grid = plan.das->tables->grid;
  const BandPlan& band = *plan.band;
  const double c = plan.params.formation.sound_speed_m_s;
  const auto [x, z] = grid.point(ix, iz);
  const PixelPlace place{static_cast<float>(x), static_cast<float>(z), static_cast<float>(grid.r_m(iz))};
  const auto axes = picked_axes(*plan.acquisition, plan.pick);
  std::complex<double> pixel;
  for (int sum = 0; sum < g.n_tx; ++sum) {
    const int transmit = g.columns != nullptr ? g.columns[sum * g.nx + ix].transmit : sum;
    if (transmit < 0) continue;
    const auto t = static_cast<std::size_t>(transmit);
    const double t0_s = a.transmits[t].t0_s;
    const double transmit_s = transmit_delay_s(a.transmits[t], a.probe, x, z, c, axes.empty() ? nullptr : &axes[t]);
    for (std::size_t e = 0; e < a.probe.elements.size(); ++e) {
      const auto weight = static_cast<double>(receive_term(g, g.elements[e], place).weight);
      const double path_m = std::hypot(x - a.probe.elements[e].x_m, z - a.probe.elements[e].z_m);
      const double position = (transmit_s + path_m / c - t0_s) * band.line_rate_hz;
      const double whole = std::floor(position);
      if (weight == 0.0 || !(whole >= 0.0 && whole < band.n_valid - 1)) continue;
      const Complex* line = &lines[(t * a.probe.elements.size() + e) * static_cast<std::size_t>(g.n_line)];
      const Complex s0 = line[static_cast<std::size_t>(whole)], s1 = line[static_cast<std::size_t>(whole) + 1];
      const std::complex<double> first(s0.re, s0.im), second(s1.re, s1.im);
      const double turns =
          band.demod_hz * position / band.line_rate_hz + (band.input == SignalKind::rf ? 0.0 : a.demod_hz * t0_s);
      pixel += static_cast<double>(transmit_weight(g, sum)) * weight *
               std::polar(1.0, 2.0 * kPi * (turns - std::floor(turns))) *
               (first + (position - whole) * (second - first));
    }
  }
  return pixel;
}

}  // namespace echoloop::testing
