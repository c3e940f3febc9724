// Waves that a law of firing times could make on a curved array, and what fitting needs on straight ones as well.
// Internal to wave_fit.cpp.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Firing time of an element relative to the wave passing the origin; c in m/s.
double law_s(const Transmit& transmit, const Element& element, double c);

using Row = std::array<double, 4>;  // three unknowns and the right side

// Least squares of rows by their normal equations; nothing when they do not determine the unknowns.
std::optional<std::array<double, 3>> solve(const std::vector<Row>& rows, std::size_t n_unknowns);

// The plane, focused and diverging wave that come nearest to the delays of `firing`, indices of elements. No equation
// is linear there: the best of a coarse set of waves, then Gauss and Newton's steps.
std::vector<Transmit> searched_waves(const std::vector<double>& delays_s, const std::vector<std::size_t>& firing,
                                     const Probe& probe, double sound_speed_m_s);

}  // namespace echoloop
