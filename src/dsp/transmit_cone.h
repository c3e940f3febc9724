// Weights of focused transmits at a pixel: the pixel takes the beams in whose cone it lies. Double precision on the
// host, once per plan, as the transmit part of the delays. Any thread.
//
//   b_t = window(d / h),  h = max(|a| / (2 F), n gap),  divided by their sum
//
// a: distance of the pixel from the focus along the beam's axis; d: across it; F: focal distance divided by the width
// of the transmit aperture, 0: no limit (every beam counts alike); gap: distance to the next beam there; n: 1.5, Tukey
// 4/3, so that about the focus, where cones are narrowest, neighbours overlap to a constant sum. A pixel outside of all
// cones takes the nearest beam alone. As the transmit apodization of USTB (Rodriguez-Molares et al., IEEE IUS 2017),
// whose cones have a fixed least width instead.
#pragma once

#include <span>

#include "core/params.h"
#include "core/scan_lines.h"

namespace echoloop {

struct TransmitCones {
  TransmitCone window = TransmitCone::boxcar;  // not off
  double f_number = 0.0;
};

// One weight for each beam.
void weigh_transmits(std::span<const BeamAxis> beams, const TransmitCones& cones, double x_m, double z_m,
                     std::span<float> weights);

}  // namespace echoloop
