// What is true of the built-in phantoms: places, radii and speeds that tests and the sample volume start from. Defined
// beside the scenes, scene_NAME.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.h"
#include "source/phantom_settings.h"

namespace echoloop {

// The resting wires of the points phantom. [0] and [1] are 20.00 mm apart in depth, [2] and [3] 10.00 mm apart
// laterally (half of that on a probe too small for it). [any thread]
std::vector<PlanePoint> points_phantom_wires(const PhantomSettings& settings);

// Where the circling wire of the points phantom is in frame `index`. [any thread]
PlanePoint points_phantom_circling_wire(const PhantomSettings& settings, std::uint64_t index);

struct PhantomDisc {
  PlanePoint center{};
  double radius_m = 0.0;
};

// The echo-free cyst and the bright inclusion of the cyst phantom in frame `index`; the strain of the breathing
// (below 3 %) is neglected in the radius. [any thread]
PhantomDisc cyst_phantom_cyst(const PhantomSettings& settings, std::uint64_t index);
PhantomDisc cyst_phantom_inclusion(const PhantomSettings& settings, std::uint64_t index);

// What is true of the flow phantom in frame `index`: a point of the vessel's axis and its direction, which lead to the
// speed anywhere: along the vessel peak (1 - (across / radius)^2), and all of it carried along by the tissue.
struct FlowTruth {
  PlanePoint axis{};       // where the axis crosses x = 0
  double angle_rad = 0.0;  // downwards to the right
  double radius_m = 0.0;
  double peak_m_s = 0.0;    // along the vessel, to the right
  double tissue_m_s = 0.0;  // downwards
};
FlowTruth flow_phantom_truth(const PhantomSettings& settings, std::uint64_t index);

}  // namespace echoloop
