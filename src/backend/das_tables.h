// The tables of the analytic recipe's beamform stage: arrival times of the transmits at every pixel that is beamformed.
// They are made on the processing thread whenever grid, transmits, band or sound speed change, however long that takes.
#pragma once

#include <memory>
#include <vector>

#include "backend/plan.h"
#include "core/scan_lines.h"

namespace echoloop {

struct DasTask {
  Grid grid;  // that is beamformed
  double sound_speed_m_s = 1540.0;
  std::vector<BeamAxis> axes = {};  // of each transmit, or empty; see transmit_delay_s()
  bool lines = false;               // each column takes the transmits focused along it; `grid` is make_beam_grid()'s
};

std::shared_ptr<const DasTables> make_das_tables(const Acquisition& acquisition, const BandPlan& band,
                                                 const DasTask& task);

// Weight of each transmit in the coherent sum, their mean 1: what all transmits agree on keeps its level under any
// window. The window lies across the waves from left to right (by angle, by virtual source or focus; laws of delays:
// in their order), wave k of n at u = (k + 1/2) / n - 1/2; see dsp/window.h.
std::vector<float> transmit_weights(Apodization window, const Acquisition& acquisition);

// Of the grid that is beamformed; see uses_cones().
std::shared_ptr<const ConeTable> make_cones(const Acquisition& acquisition, const TransmitParams& params,
                                            const Grid& grid);

}  // namespace echoloop
