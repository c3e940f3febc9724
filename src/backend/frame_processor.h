// The stages of one frame in a lane, in their one order: form_frame() to the envelope, make_image() to the finished
// image. Pipeline, Reprocessor, inspector, flow of history frames, benchmark and tests call these; none of them calls a
// stage by itself. The thread of the lane.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/plan.h"
#include "core/grid.h"
#include "core/results/image.h"
#include "core/transmits.h"
#include "dsp/complex.h"
#include "dsp/level.h"

namespace echoloop {

struct FrameForming {
  // Level of make_image() in dB, if known before and if the complex pixels are not read: decibels may then be written
  // while beamforming (Lane::expect_reference).
  std::optional<double> expected_db = {};
  double load_ms = 0.0;                   // injected, see Lane::load; 0 = none
  std::optional<DeviceFault> fault = {};  // injected, see Lane::fail
};

struct ImageMaking {
  double reference_db = 0.0;  // level that is shown as 0 dB
  HostCopy copy = HostCopy::made;
  const FrameAverage* average = nullptr;  // temporal average; null: the frame alone
  std::optional<int> line = {};           // column that is kept on the host, see Lane::keep_line
  HostCopy pixels = HostCopy::none;       // see Lane::keep_pixels
};

// upload, condition, beamform, envelope. The samples must stay until lane.uploaded(). Several frames: at most
// lane.frames_at_once() with this plan, and forming.expected_db is the level of make_image().
void form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming = {});
void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming = {});

// compress, refine if the plan has filters of the image, finish. After form_frame() with the same plan.
void make_image(Lane& lane, const Plan& plan, const ImageMaking& making);

// What a lane does not know of its finished image: time, parameters, level, acquisition and average. ready_ns is now.
void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames);

// What takes the complex pixels of beamformed frames on the host: a file, later others that come and go while the
// stream runs. Without one that wants them nothing is kept or copied.

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

// The level that is 0 dB in an image: what the parameters say, or, where they leave it open, a level that is held.

// Whether the level is the held one. The course recipe has none: it divides each frame by its own maximum.
[[nodiscard]] inline bool holds_level(const Plan& plan) {
  return plan.params.level.reference_db <= kAutoReference && plan.course == nullptr;
}

// Decibels. `held_db`: the held level, that of all transmits, from which a selection takes its share; kAutoReference:
// no level is held yet, and 0 stands in for it.
[[nodiscard]] inline double reference_level_db(const Plan& plan, double held_db) {
  if (!holds_level(plan)) return plan.params.level.reference_db;
  return held_db > kAutoReference ? held_db + transmit_level_db(plan.params, *plan.acquisition) : 0.0;
}

// The level to hold that puts 0 dB at the brightest pixel of the frame in the lane, whose envelope has been made: as it
// would be with all transmits, so that a selection changes the brightness only by what it leaves out. Waits for the
// frame. None: a frame of zeros says nothing.
[[nodiscard]] inline std::optional<double> measured_level_db(Lane& lane, const Plan& plan) {
  if (plan.method.method == Adaptive::slsc) return std::nullopt;  // coherences have no level
  if (plan.method.shows_factor) {
    float brightest = 0.0F;
    const std::vector<float> pixels = lane.read_back(Lane::Tap::beamformed);
    for (std::size_t i = 0; i + 1 < pixels.size(); i += 2) {
      brightest = std::max(brightest, magnitude({pixels[i], pixels[i + 1]}));
    }
    if (!(brightest > kMagnitudeFloor)) return std::nullopt;
    return static_cast<double>(to_db(brightest, 0.0F)) - transmit_level_db(plan.params, *plan.acquisition);
  }
  lane.compress(0.0);
  lane.finish(HostCopy::made);
  lane.wait();
  const std::span<const float> image = lane.image().host();
  if (image.empty()) return std::nullopt;
  const float brightest = *std::max_element(image.begin(), image.end());
  constexpr float kSilenceDb = -590.0f;  // to_db()'s floor is -600
  if (brightest <= kSilenceDb) return std::nullopt;
  return static_cast<double>(brightest) - transmit_level_db(plan.params, *plan.acquisition);
}

}  // namespace echoloop
