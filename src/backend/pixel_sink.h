// What takes the complex pixels of beamformed frames on the host: a file, later others that come and go while the
// stream runs. Without one that wants them nothing is kept or copied.
#pragma once

#include <span>
#include <string>

#include "core/grid.h"
#include "core/results/image.h"
#include "dsp/complex.h"

namespace echoloop {

// The pixels that a finished image shows: 20 log10 |value| less image.params.level.reference_db are its levels before
// scan conversion, temporal average and image filters. Phase: values are of the analytic signal with its carrier, see
// dsp/das.h.
struct KeptPixels {
  const Image& image;                 // stamp, parameters and acquisition; its levels may not be on the host
  const Grid& grid;                   // that was beamformed; other than the image's where scan lines are formed
  std::span<const Complex> values{};  // [nz][nx]
};

class PixelSink {
 public:
  virtual ~PixelSink() = default;
  [[nodiscard]] virtual bool wanted() const = 0;    // of the next frame; processing thread
  virtual void take(const KeptPixels& pixels) = 0;  // values: until it returns; processing thread
};

// Why an image with these parameters consists of no complex pixels; empty: it does.
inline std::string why_no_pixels(const ImagingParams& params) {
  if (params.formation.recipe == Recipe::course) return "the course recipe forms real pixels";
  if (row_of(params.formation.adaptive).result == MethodResult::coherence) {
    return "the pixels of adaptive=" + std::string(row_of(params.formation.adaptive).words.name) + " are coherences";
  }
  return shows_weight(params.formation) ? "the image shows the weight of the method (adaptive_show=weight)" : "";
}

}  // namespace echoloop
