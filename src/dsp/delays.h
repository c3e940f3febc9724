// Arrival times. Transmit part: double precision on the host, once per plan, for every kind of transmit. Receive part:
// float, per pixel and element, on both devices, without differences of large numbers.
#pragma once

#include <cmath>
#include <span>

#include "core/acquisition.h"
#include "core/grid.h"
#include "core/hd.h"
#include "core/params.h"

namespace echoloop {

// Returns the time (s) from time zero (the wave passes the origin) to the arrival of `transmit` at (x, z). Host only.
//   plane      (x sin a + z cos a) / c
//   diverging  (|p - s| - |s|) / c                       virtual source s behind the array
//   focused    (|s| - |p - s|) / c above the focus s, (|s| + |p - s|) / c below it, along `axis`; null: origin to focus
//   delays     min over firing elements of delay_e + |p - p_e| / c, time zero = zero of the delays
double transmit_delay_s(const Transmit& transmit, const Probe& probe, double x_m, double z_m, double c_m_s,
                        const BeamAxis* axis = nullptr);

// Returns the path from (x, z) to an element minus the pixel's |z|, in metres:
//   |p - p_e| - |z| = ((x - x_e)^2 + z_e (z_e - 2 z)) / (|p - p_e| + |z|)
// The difference of two long paths would lose 3 digits of a float; this form keeps them.
ECHO_HD float receive_excess_m(float dx_m, float z_m, float element_z_m) {
  const float dz = z_m - element_z_m;
  const float distance = sqrtf(dx_m * dx_m + dz * dz);
  const float depth = z_m < 0.0f ? -z_m : z_m;
  return (dx_m * dx_m + element_z_m * (element_z_m - 2.0f * z_m)) / (distance + depth + 1e-12f);
}

// Returns the same on a polar grid, minus the pixel's distance r from the apex; positions relative to the apex:
//   |p - p_e| - r = (p_e . p_e - 2 p . p_e) / (|p - p_e| + r)
ECHO_HD float receive_excess_polar_m(float x_m, float down_m, float r_m, float element_x_m, float element_down_m) {
  const float dx = x_m - element_x_m;
  const float dz = down_m - element_down_m;
  const float distance = sqrtf(dx * dx + dz * dz);
  return (element_x_m * (element_x_m - 2.0f * x_m) + element_down_m * (element_down_m - 2.0f * down_m)) /
         (distance + r_m + 1e-12f);
}

// Weights of focused transmits at a pixel: a pixel uses the beams whose cones contain it. Double precision on the host,
// once per plan, as the transmit part of the delays. Any thread.
//
//   b_t = window(d / h),  h = max(|a| / (2 F), n gap),  divided by their sum
//
// a: distance of the pixel from the focus along the beam's axis; d: across it; F: focal distance divided by the width
// of the transmit aperture, 0: no limit (every beam counts equally); gap: distance to the next beam there; n: 1.5,
// Tukey 4/3, so that near the focus, where cones are narrowest, neighbours overlap to a constant sum. A pixel outside
// all cones uses the nearest beam alone. As the transmit apodization of USTB (Rodriguez-Molares et al., IEEE IUS 2017),
// whose cones have a fixed minimum width instead.

struct TransmitCones {
  TransmitCone window = TransmitCone::boxcar;  // not off
  double f_number = 0.0;
  friend bool operator==(const TransmitCones&, const TransmitCones&) = default;
};

// Writes one weight per beam.
void weigh_transmits(std::span<const BeamAxis> beams, const TransmitCones& cones, double x_m, double z_m,
                     std::span<float> weights);

}  // namespace echoloop
