// Wave of a law of firing times: a plane one, one from a source behind the array, or one towards a focus. Reason:
// delays are reliable, angles and focal distances only notes; but beyond its focus a focused wave can only be computed
// if the focus is known. Internal to src/formats.
#pragma once

#include <vector>

#include "core/acquisition.h"

namespace echoloop {

struct WaveFit {
  Transmit transmit;       // t0_s is not set
  double passage_s = 0.0;  // time of the wave's passage of the origin on the law's clock; delays: 0, that clock
};

// `delays_s`: firing time of each element, NaN = silent; at least one fires. Returns the first of `hints` (plane,
// diverging, focused) that agrees with every delay within `tolerance_s`, else a plane wave that does (for three
// elements or more) or a spherical one (for four), else the law itself (kind delays). A single element always makes a
// diverging wave.
WaveFit fit_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s, double tolerance_s,
                 const std::vector<Transmit>& hints);

// For rounded delays: returns the plane wave nearest to them, or the spherical one if far nearer, within `tolerance_s`
// at every element; otherwise, and for fewer than sixteen elements, the law itself.
WaveFit fit_nearest_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s,
                         double tolerance_s);

}  // namespace echoloop
