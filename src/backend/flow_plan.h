// What an ensemble of colour flow is, and its wall filter, from plan and parameters. Any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/plan.h"
#include "core/params.h"
#include "dsp/low_rank.h"

namespace echoloop {

inline constexpr int kMostInFlight = 2;  // ensembles,
inline constexpr int kShortFrames = 64;  // where they have no more frames than these

// Scales and sizes that parameters and acquisition give.
struct FlowPlan {
  int frames = 0;
  int step = 0;
  int in_flight = 0;  // ensembles, at most
  int slots = 0;      // of the ring: frames, and what comes while an ensemble is in work
  double prf_hz = 0.0;
  double scale_m_s = 0.0;  // see flow_scale_m_s()
};
FlowPlan make_flow_plan(const Plan& plan);

// Whether two plans make the same complex pixels of a frame.
[[nodiscard]] bool same_pixels(const Plan& a, const Plan& b);

// The components that an ensemble is filtered with, where `params` leave the choice open.
ComponentRange choose_components(const Decomposition& d, const ImagingParams& params, std::size_t n_pixels);

// Wall filter as a matrix [n][n]; not for svd.
std::vector<float> wall_matrix(const ImagingParams& params, int n);

}  // namespace echoloop
