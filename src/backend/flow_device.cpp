#include "backend/flow_device.h"

#include <algorithm>

#include "dsp/fir_design.h"
#include "dsp/flow.h"
#include "dsp/wall_filter.h"

namespace echoloop {

FlowPlan make_flow_plan(const Plan& plan) {
  const ImagingParams& p = plan.params;
  const Acquisition& a = *plan.acquisition;
  FlowPlan flow{.frames = p.color_flow.frames, .step = p.color_flow.step};
  const bool brief = flow.frames <= kShortFrames;
  flow.in_flight = brief ? kMostInFlight : 1;
  flow.slots = flow.frames + std::max(flow.step, brief ? flow.frames : flow.frames / 2);
  flow.prf_hz = p.color_flow.prf_hz > 0.0 ? p.color_flow.prf_hz : a.frame_rate_hz;
  flow.scale_m_s = flow_scale_m_s(p.formation.sound_speed_m_s, flow.prf_hz, a.center_hz, p.color_flow.angle_rad);
  return flow;
}

bool same_pixels(const Plan& a, const Plan& b) {
  return a.acquisition == b.acquisition && same_pixels(a.params, b.params);
}

ComponentRange choose_components(const Decomposition& d, const ImagingParams& p, std::size_t n_pixels) {
  const int tissue = tissue_components(d, p.color_flow.wall_cutoff);
  ComponentRange range;
  if (p.color_flow.mode == FlowMode::low_rank) {
    range = {.first = 1, .last = std::max(1, tissue)};
  } else {
    // No component above the noise: blood that differs between all frames fills all components as noise does, and a
    // single component would show one velocity everywhere.
    const int last = last_above_noise(d.singular_values, n_pixels);
    range = {.first = tissue + 1, .last = last > tissue ? last : d.n};
  }
  if (p.color_flow.svd_low > 0) range.first = std::min(p.color_flow.svd_low, d.n);
  if (p.color_flow.svd_high > 0) range.last = std::min(p.color_flow.svd_high, d.n);
  range.last = std::max(range.last, range.first);
  return range;
}

std::vector<float> wall_matrix(const ImagingParams& p, int n) {
  if (p.color_flow.wall_filter == WallFilter::fir)
    return fir_wall_matrix(fir_highpass_hamming(kWallTaps, p.color_flow.wall_cutoff), n);
  if (p.color_flow.wall_filter == WallFilter::polynomial) return polynomial_wall_matrix(p.color_flow.wall_order, n);
  return identity_matrix(n);
}

}  // namespace echoloop
