// Probe made from the positions of its elements. Depths remain as in the file: z = 0 of a curved array is its apex in
// most files (USTB, Verasonics) and its chord in those of MUST, and images should have the depths of the file.
// Laterally, x is measured from the centre of the array (core/acquisition.h). Internal to src/formats.
#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

struct Places {  // one value per element, in the file's coordinates
  std::vector<double> x_m, y_m, z_m;
  std::vector<double> normal_rad;  // empty: normal to the line between neighbours
};

struct PlacedProbe {
  Probe probe;              // x from its centre, z as in the file
  double origin_x_m = 0.0;  // of the centre, in the file's coordinates; 0 if below a micrometre
};

// Reads an array (axis, element), x y z first: `table` of n_axes x n_elements numbers, axis slowest; transposed:
// fastest.
enum class TableOrder { axis_first, element_first };
Places places_of(const std::string& what, const std::vector<double>& table, std::size_t n_axes, TableOrder order);

// Returns a probe whose file coordinates are the program's: elements at (x, z), linear if all z agree to a nanometre,
// convex otherwise. `normal_rad` empty: normal to the line. Throws Error (naming `what`) for coincident elements.
Probe listed_probe(const std::string& what, const std::vector<double>& x_m, const std::vector<double>& z_m,
                   std::vector<double> normal_rad);

// Returns a linear array if all z agree to a micrometre, convex otherwise. Throws Error (naming `what`) for elements
// more than 0.1 mm off the plane y = 0 (matrix arrays), coincident, or at undefined positions.
PlacedProbe place_probe(const std::string& what, const Places& places);

// Makes `transmit` (its source) relative to the program's origin, d = (origin_x_m, 0); returns the delay of its wave's
// passage there relative to the file's origin; delays: 0.
double move_origin(const PlacedProbe& placed, double sound_speed_m_s, Transmit& transmit);

// Returns the sentence for acquisition.assumptions if the origin moved; empty otherwise.
std::string moved_text(const PlacedProbe& placed);

// Probe shapes and change of time zero shared by readers: files count time from the first firing or from the wave's
// passage of the origin, the program from the latter (for explicit delays: from the zero of the delay law).

// Returns n elements on a circle, with equal chords `pitch_m`, z = 0 at the chord of the outermost two (MUST's
// getparam). Throws Error (naming `what`) if they exceed half the circle.
Probe make_convex_probe(const std::string& what, int n_elements, double pitch_m, double radius_m, double width_m);

// Returns n elements on a line, `pitch_m` apart. Throws Error (naming `what`) if a pitch of 0 or less would make
// several of them coincident or reverse their order.
Probe make_pitch_probe(const std::string& what, int n_elements, double pitch_m, double width_m);

// Returns the time of the first firing of an active element, relative to the transmit's time zero. `active` empty: all
// elements fire. Delays: their minimum; else the first arrival_s() at an element.
double first_firing_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s,
                      const std::vector<bool>& active);

// Returns the distance of the first and last active element, plus a pitch. `active` empty: all elements.
double aperture_width_m(const Probe& probe, const std::vector<bool>& active);

// Wave of a law of firing times: a plane one, one from a source behind the array, or one towards a focus. Reason:
// delays are reliable, angles and focal distances only notes; but beyond its focus a focused wave can only be computed
// if the focus is known. Internal to src/formats.
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
