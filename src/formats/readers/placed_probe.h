// A probe from the positions of its elements. Depths stay as the file counts them: z = 0 of a curved array is its apex
// in most files (USTB, Verasonics) and its chord in MUST's, and images have to lie where the file's owner looks for
// them. Across, the program counts from the middle of the array (core/acquisition.h). Internal to src/formats.
#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

struct Places {  // one of each an element, in the file's coordinates
  std::vector<double> x_m, y_m, z_m;
  std::vector<double> normal_rad;  // or empty: across the line to the neighbours
};

struct PlacedProbe {
  Probe probe;              // x about its middle, z as in the file
  double origin_x_m = 0.0;  // of the middle, in the file's coordinates; 0 when nearer than a micrometre
};

// From an array (axis, element), x y z first: `table` of n_axes x n_elements numbers, axis slowest; transposed:
// fastest.
enum class TableOrder { axis_first, element_first };
Places places_of(const std::string& what, const std::vector<double>& table, std::size_t n_axes, TableOrder order);

// A probe of which the file's coordinates are the program's: elements at (x, z), linear when all z agree to a
// nanometre, convex otherwise. `normal_rad` empty: across the line. Throws Error (naming `what`) for elements on one
// spot.
Probe listed_probe(const std::string& what, const std::vector<double>& x_m, const std::vector<double>& z_m,
                   std::vector<double> normal_rad);

// Linear when all z agree to a micrometre, convex otherwise. Throws Error (naming `what`) for elements more than 0.1 mm
// off the plane y = 0 (matrix arrays), on one spot, or nowhere.
PlacedProbe place_probe(const std::string& what, const Places& places);

// Counts `transmit` (its source) from the program's origin, d = (origin_x_m, 0); returns how much later its wave passes
// there than at the file's; delays: 0.
double move_origin(const PlacedProbe& placed, double sound_speed_m_s, Transmit& transmit);

// The sentence for acquisition.assumptions when the origin moved; empty when it did not.
std::string moved_text(const PlacedProbe& placed);

// Probe shapes and the change of time zero that readers share: files count time from the first firing or from the
// wave passing the origin; the program counts from the latter (for explicit delays: from the zero of the delay law).

// n elements on a circle, equal chords `pitch_m`, z = 0 at the chord of the outermost two (MUST's getparam).
// Throws Error (naming `what`) when they do not fit on half the circle.
Probe make_convex_probe(const std::string& what, int n_elements, double pitch_m, double radius_m, double width_m);

// n elements `pitch_m` apart on a line. Throws Error (naming `what`) when a pitch of 0 or less would put several of
// them on one spot or in reverse.
Probe make_pitch_probe(const std::string& what, int n_elements, double pitch_m, double width_m);

// When the first active element fires, relative to the transmit's time zero. `active` empty: all elements fire.
// Delays: their minimum; else the first arrival_s() at an element.
double first_firing_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s,
                      const std::vector<bool>& active);

// From the first to the last active element, one pitch more. `active` empty: all elements.
double aperture_width_m(const Probe& probe, const std::vector<bool>& active);

}  // namespace echoloop
