// The tables of the analytic recipe's beamform stage: arrival times of the transmits at every pixel that is beamformed.
// Quick or not, they are made on the processing thread, once a plan whose grid, transmits, band or sound speed changed.
#pragma once

#include <memory>

#include "backend/plan.h"

namespace echoloop {

struct DasTask {
  Grid grid;  // that is beamformed
  double sound_speed_m_s = 1540.0;
  bool lines = false;  // each column takes the transmits focused along it; `grid` is make_beam_grid()'s
};

std::shared_ptr<const DasTables> make_das_tables(const Acquisition& acquisition, const BandPlan& band,
                                                 const DasTask& task);

}  // namespace echoloop
