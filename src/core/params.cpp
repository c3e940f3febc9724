#include "core/params.h"

#include <algorithm>
#include <utility>

namespace echoloop {

bool same_pixels(const ImagingParams& a, const ImagingParams& b) {
  return a.formation == b.formation && a.transmits == b.transmits;
}

std::string method_channels(const FormationParams& params) {
  const bool weight = is_weight(params.adaptive);
  if (weight && params.adaptive_axis == AdaptiveAxis::transmits) return "coherence over transmits";
  if (weight && params.adaptive_axis == AdaptiveAxis::both) return "coherence over elements and transmits";
  const bool compounded = reads_rows(params.adaptive) || params.adaptive_order == AdaptiveOrder::compounded;
  const char* const coherence = weight || reads_rows(params.adaptive) ? "coherence " : "";
  return std::string(coherence) + (compounded ? "over elements, transmits summed" : "over elements, per transmit");
}

bool shows_weight(const FormationParams& params) {
  return params.adaptive_show == AdaptiveShow::weight && has_factor(params.adaptive);
}

ImagingParams with_display(ImagingParams params, const DisplayParams& display) {
  params.display = display;
  return params;
}

ImagingParams without_display(ImagingParams params) { return with_display(std::move(params), {}); }

ImagingParams without_analyses(ImagingParams params) {
  params.color_flow.mode = FlowMode::off;
  params.doppler.gate = Gate::off;
  params.objects.kind = ObjectKind::off;
  return params;
}

bool is_flat(const TgcGains& gains) {
  return std::all_of(gains.begin(), gains.end(), [](double g) { return g == 0.0; });
}

double tgc_at(const TgcGains& gains, double depth) {
  const double at = std::clamp(depth, 0.0, 1.0) * (kTgcSteps - 1);
  const auto lower = std::min(static_cast<std::size_t>(at), gains.size() - 2);
  return gains[lower] + (at - static_cast<double>(lower)) * (gains[lower + 1] - gains[lower]);
}

}  // namespace echoloop
