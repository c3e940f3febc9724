// Speckle: scatterers strewn over an area with a given echogenicity, and the small generator that strews them.
// Why: the same numbers on every platform and standard library (std distributions are not), so that frames are the
// same everywhere. Set-up only, not on the hot path.
#pragma once

#include <cstdint>
#include <functional>

#include "source/phantom_scene.h"

namespace echoloop {

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double uniform();  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

struct Tissue {
  double amplitude = 0.0;  // of the speckle; 1 = reference, 0 = nothing there
  double density = 1.0;    // fraction of the area's scatterers that is kept; their level stays
};

struct SpeckleArea {
  double x0_m = 0.0;
  double x1_m = 0.0;
  double z0_m = 0.0;
  double z1_m = 0.0;
  double per_cell = 6.0;  // scatterers in a resolution cell of `field`
};

// Appends to `out`: one scatterer in each box of a fine grid, anywhere in its box (the box is half a wavelength
// or so: phases are uniform), of random sign. In order of depth, shuffled over short stretches so that neighbours in
// memory do not meet in the same sample.
void add_speckle(Scatterers& out, const Field& field, const SpeckleArea& area, Random& random,
                 const std::function<Tissue(double x_m, double z_m)>& tissue);

// Shuffles over stretches of the size of an EchoSynth block.
void shuffle_locally(Scatterers& scatterers, Random& random);

}  // namespace echoloop
