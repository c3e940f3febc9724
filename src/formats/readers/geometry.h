// Probe shapes and the change of time zero that readers share: files count time from the first firing or from the
// wave passing the origin; the program counts from the latter (for explicit delays: from the zero of the delay law).
#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// n elements on a circle, equal chords `pitch_m`, z = 0 at the chord of the outermost two (MUST's getparam).
// Throws Error (naming `what`) when they do not fit on half the circle.
Probe make_convex_probe(const std::string& what, int n_elements, double pitch_m, double radius_m, double width_m);

// n elements `pitch_m` apart on a line. Throws Error (naming `what`) when a pitch of 0 or less would put several of
// them on one spot or in reverse.
Probe make_pitch_probe(const std::string& what, int n_elements, double pitch_m, double width_m);

// When the first active element fires, relative to the transmit's time zero. `active` empty: all elements fire.
// plane: min (x sin a + z cos a)/c; diverging: min (|p - s| - |s|)/c; focused: min (|s| - |p - s|)/c; delays: their
// minimum.
double first_firing_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s,
                      const std::vector<bool>& active);

// From the first to the last active element, one pitch more. `active` empty: all elements.
double aperture_width_m(const Probe& probe, const std::vector<bool>& active);

// When the wave passes (x_m, 0), relative to the transmit's time zero: plane x sin a/c; diverging (|p - s| - |s|)/c;
// focused (|s| - |p - s|)/c; delays: min (delay + |p - element|/c).
double passage_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s, double x_m);

}  // namespace echoloop
