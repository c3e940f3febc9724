// Arrival times and weights of the transmits of delay-and-sum, on the host; the sum itself: das_geometry.h.
#pragma once

#include <span>

#include "core/acquisition.h"
#include "core/grid.h"
#include "core/params.h"
#include "dsp/das_geometry.h"

namespace echoloop {

// Arrival times. Transmit part: double precision on the host, once per plan, for every kind of transmit. Receive part:
// float, per pixel and element, on both devices, without differences of large numbers.

// Returns the time (s) from time zero (the wave passes the origin) to the arrival of `transmit` at (x, z). Host only.
//   plane      (x sin a + z cos a) / c
//   diverging  (|p - s| - |s|) / c                       virtual source s behind the array
//   focused    (|s| - |p - s|) / c above the focus s, (|s| + |p - s|) / c below it, along `axis`; null: origin to focus
//   delays     min over firing elements of delay_e + |p - p_e| / c, time zero = zero of the delays
//   none       0
// With a lens on the probe, from its elements: plane and diverging waves by the conserved slowness along the lens, the
// others by the first (beyond a focus: last) arrival of an element's refracted path; time zero at the elements.
double transmit_delay_s(const Transmit& transmit, const Probe& probe, double x_m, double z_m, double c_m_s,
                        const BeamAxis* axis = nullptr);

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
