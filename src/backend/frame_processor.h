// Stages of one frame in a lane, in their only order: form_frame() up to the envelope, make_image() to the finished
// image. Called by Pipeline, Reprocessor, inspector, flow of history frames, benchmark and tests; none of them calls
// single stages. The thread of the lane.
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
#include "core/mailbox.h"
#include "core/params.h"
#include "core/results/image.h"
#include "dsp/complex.h"
#include "dsp/level.h"

namespace echoloop {

struct FrameForming {
  // Level of make_image() in dB, if known in advance and the complex pixels are not read: decibels may then be written
  // while beamforming (Lane::expect_reference).
  std::optional<double> expected_db = {};
  std::optional<ResultPlace> results = {};  // of a caller, see Lane::write_results; then no image is made
  double load_ms = 0.0;                     // injected, see Lane::load; 0 = none
  bool missing_event = false;               // injected, see Lane::miss_event
  std::optional<DeviceFault> fault = {};    // injected, see Lane::fail
  double method_limit_s = kMethodLimit_s;   // of the wait for a method in another process
  // With such a method, where its array is in one piece: it is handed over, and the frame ends in take_answer(). null:
  // the answer is waited for. Levels of an image are those at expected_db.
  OwnAsk* asked = nullptr;
};

enum class Levels { due, made };  // made: by take_answer()

struct ImageMaking {
  double reference_db = 0.0;  // level that is shown as 0 dB
  HostCopy copy = HostCopy::made;
  const FrameAverage* average = nullptr;  // null: no temporal average
  std::optional<int> line = {};           // column kept on the host, see Lane::keep_line
  HostCopy pixels = HostCopy::none;       // see Lane::keep_pixels
  double method_limit_s = kMethodLimit_s;
  Levels levels = Levels::due;
};

// Runs upload, condition, beamform, envelope; a method in another process works on the frame before or after beamform,
// or on its levels. The samples must stay valid until lane.uploaded(). Several frames: at
// most lane.frames_at_once() with this plan, and forming.expected_db is the level of make_image().
// Returns true if forming.results are written.
bool form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming = {});
void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming = {});

// Waits for the answer to forming.asked, which has a number, and forms the frame with it, or with delay-and-sum.
// Returns false if `interrupted` has ended the wait.
bool take_answer(Lane& lane, const Plan& plan, const OwnAsk& asked, const OwnProcess::Interrupted& interrupted);

// Runs compress, refine if the plan has image filters, finish; after form_frame() with the same plan.
void make_image(Lane& lane, const Plan& plan, const ImageMaking& making);

// Sets the fields of a finished image that a lane does not: time, parameters, level, acquisition and average. ready_ns
// is now.
void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames);

// An image shown at once before one that takes long: delay-and-sum with the same parameters, on fewer pixels if that
// takes long as well. For the window only: not counted, saved or measured.

// Returns its parameters; nullopt: the image itself does not take long.
std::optional<ImagingParams> coarse_params(const Acquisition& acquisition, const ImagingParams& params,
                                           const Backend& backend);
struct CoarseTask {
  const AcquisitionPtr& acquisition;
  const ImagingParams& params;
  const std::shared_ptr<const Plan>& previous;  // see make_plan()
};
// Makes it and waits; call after Backend::begin_work(). Returns false if superseded. making.reference_db: held level.
bool make_coarse_image(Backend& backend, const CoarseTask& task, const RfFrame& frame, const ImageMaking& making,
                       Mailbox<Image>& to);

// Receivers of the complex pixels of beamformed frames on the host, e.g. a file. Without one that wants them nothing is
// kept or copied.

// Pixels of a finished image: 20 log10 |value| - image.params.level.reference_db are its levels before scan conversion,
// temporal average and image filters. Phase: that of the analytic signal with its carrier, see dsp/das.h.
struct KeptPixels {
  const Image& image;                 // stamp, parameters and acquisition; its levels may not be on the host
  const Grid& grid;                   // beamformed grid; differs from the image's for scan lines
  std::span<const Complex> values{};  // [nz][nx]
};

class PixelSink {
 public:
  virtual ~PixelSink() = default;
  [[nodiscard]] virtual bool wanted() const = 0;    // asked before the next frame; processing thread
  virtual void take(const KeptPixels& pixels) = 0;  // values: valid during the call; processing thread
};

// Receiver of the products of a running stream for programs that come and go. Members: processing thread; they neither
// wait nor throw.
class Outlet : public PixelSink {
 public:
  using PixelSink::take;
  [[nodiscard]] virtual bool wants_images() const = 0;  // asked before the next frame
  virtual void take(const Image& image) = 0;            // every image; levels on the host if they were wanted
};

// Returns why an image with these parameters has no complex pixels; empty: it has them.
inline std::string why_no_pixels(const ImagingParams& params) {
  if (params.formation.recipe == Recipe::course) return "the course recipe forms real pixels";
  if (is_coherence(params.formation))
    return "the pixels of adaptive=" + std::string(row_of(params.formation.adaptive).words.name) + " are coherences";
  return shows_weight(params.formation) ? "the image shows the weight of the method (adaptive_show=weight)" : "";
}

// Level of 0 dB in an image: that of the parameters, or a held one if they leave it open.

// Returns true if the held level is used. The course recipe has none: it divides each frame by its own maximum.
[[nodiscard]] inline bool holds_level(const Plan& plan) {
  return plan.params.level.reference_db <= kAutoReference && plan.course == nullptr;
}

// Returns decibels. `held_db`: held level of all transmits, of which a selection of transmits gets its share;
// kAutoReference: none is held yet, 0 is used.
[[nodiscard]] inline double reference_level_db(const Plan& plan, double held_db) {
  if (!holds_level(plan)) return plan.params.level.reference_db;
  return held_db > kAutoReference ? held_db + transmit_level_db(plan.params, *plan.acquisition) : 0.0;
}

// Returns the level to hold that puts 0 dB at the brightest pixel of the frame in the lane, whose envelope has been
// made, scaled to all transmits, so that a selection changes the brightness only by the omitted ones. Waits for the
// frame. nullopt: a frame of zeros.
[[nodiscard]] inline std::optional<double> measured_level_db(Lane& lane, const Plan& plan) {
  if (is_coherence(plan.params.formation)) return std::nullopt;  // coherences have no level
  if (plan.method.shows_factor) {
    float brightest = 0.0F;
    const std::vector<float> pixels = lane.read_back(Lane::Tap::beamformed);
    for (std::size_t i = 0; i + 1 < pixels.size(); i += 2)
      brightest = std::max(brightest, magnitude({pixels[i], pixels[i + 1]}));
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
