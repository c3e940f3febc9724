// Where a gate lies on the beamformed pixels, and what a spectrogram of it is made with. A pure function of a plan.
#pragma once

#include "backend/plan.h"
#include "dsp/gate.h"
#include "dsp/gate_spectrum.h"

namespace echoloop {

struct SpectrogramPlan {
  GateGeometry gate{};  // rows 0: the gate lies outside the image
  PlanePoint centre{};  // of the gate on its pixels
  double length_m = 0.0;
  GateSpectrumPlan spectrum;
  int hop = 0;
  double aliasing_m_s = 0.0;
};

// For a plan of the analytic recipe whose PRF is known; others give a gate of no rows.
SpectrogramPlan make_spectrogram_plan(const Plan& plan);

}  // namespace echoloop
