// The scale of velocities that an image's own echoes give (see received_frequency_share()).
#pragma once

#include "core/results/analysis_images.h"
#include "core/units.h"
#include "dsp/flow.h"

namespace echoloop {

// Whether `image` says what a lag between rows means: its grid is that of n_pixels, and its acquisition known.
[[nodiscard]] inline bool has_rows(const FlowImage& image, std::size_t n_pixels) {
  return image.acquisition != nullptr && image.grid.pixels() == n_pixels && image.grid.nz > 1;
}

// Sets the received frequency and the aliasing limit; returns metres a second for a radian, from the nominal one.
[[nodiscard]] inline double scale_by_received(FlowImage& image, const AxialLag& lag, double nominal_scale_m_s) {
  const Grid& grid = image.grid;
  const double step_m = grid.polar() ? (grid.sector.r1_m - grid.sector.r0_m) / (grid.nz - 1) : grid.dz_m();
  const double center_hz = image.acquisition->center_hz;
  const double share =
      received_frequency_share(lag, 4.0 * kPi * center_hz * step_m / image.params.formation.sound_speed_m_s);
  image.center_hz = share * center_hz;
  image.aliasing_m_s = kPi * nominal_scale_m_s / share;
  return nominal_scale_m_s / share;
}

}  // namespace echoloop
