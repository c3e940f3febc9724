// Which wave a law of firing times makes: a plane one, one from a source behind the array, one towards a focus.
// Why: delays say it for certain, angles and focal distances are notes beside them; but a focused wave can only be
// followed beyond its focus when the focus is known. Internal to src/formats.
#pragma once

#include <vector>

#include "core/acquisition.h"

namespace echoloop {

struct WaveFit {
  Transmit transmit;       // t0_s is not set
  double passage_s = 0.0;  // when the wave passes the origin on the clock of the law; delays: 0, its own clock
};

// `delays_s`: firing time of each element, NaN = silent; at least one fires. The first of `hints` (plane, diverging,
// focused) that agrees with every delay within `tolerance_s` is taken, else a plane wave that does (of three elements
// or more) or a spherical one (of four), else the law itself (kind delays). One element alone makes a diverging wave of
// its own.
WaveFit fit_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s, double tolerance_s,
                 const std::vector<Transmit>& hints);

// For delays that were rounded: the plane wave that comes nearest to them, or the spherical one where that comes nearer
// by far, within `tolerance_s` at every element; else, and of fewer than sixteen elements, the law itself.
WaveFit fit_nearest_wave(const std::vector<double>& delays_s, const Probe& probe, double sound_speed_m_s,
                         double tolerance_s);

}  // namespace echoloop
