#include "backend/pixel_sink.h"

namespace echoloop {

std::string why_no_pixels(const ImagingParams& params) {
  if (params.formation.recipe == Recipe::course) return "the course recipe forms real pixels";
  if (row_of(params.formation.adaptive).result == MethodResult::coherence) {
    return "the pixels of adaptive=" + std::string(row_of(params.formation.adaptive).words.name) + " are coherences";
  }
  return shows_weight(params.formation) ? "the image shows the weight of the method (adaptive_show=weight)" : "";
}

}  // namespace echoloop
