// A recipe's stages on a lane's buffers. Each verb queues its kernels on the processing stream and returns.
// Three implementations: the analytic recipe, the same in half precision, and the course's. Processing thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/runtime/context.h"
#include "backend/plan.h"

namespace echoloop::cuda {

// Device memory of one frame in flight; both recipes use it, so that changing between them costs no second set.
struct LaneBuffers {
  explicit LaneBuffers(const Context& context, StreamView copy_stream)
      : raw(copy_stream, context.processing.view()),
        wide(context.processing.view()),
        lines(context.processing.view()),
        pixels(context.processing.view()),
        weights(context.processing.view()),
        method_scratch(context.processing.view()),
        columns(context.processing.view()),
        weighed(context.processing.view()),
        envelope(context.processing.view()),
        peak(context.processing.view()) {}
  DeviceBuffer raw;             // [n_tx][n_el][n_samples] as acquired (IQ: pairs)
  DeviceBuffer wide;            // float lines, padded; analytic: their spectra, in place
  DeviceBuffer lines;           // conditioned: analytic Complex [n_tx][n_el][n_out] or packed words,
                                // course float [n_tx][n_el][n_samples]
  DeviceBuffer pixels;          // analytic Complex [nz][nx], course float [nz][nx]
  DeviceBuffer weights;         // float [nz][nx] of the pixels' amplitudes, with an adaptive method
  DeviceBuffer method_scratch;  // Complex, of methods that read rows
  DeviceBuffer columns;         // course: Complex [nz][nx]
  DeviceBuffer weighed;         // Complex, of pixels that are kept: after the weight
  DeviceBuffer envelope;        // float [nz][nx]
  DeviceBuffer peak;            // course: float [kMaxPartials + 1], the last one the level in dB; slsc: the first one 0
};

class LaneSteps {
 public:
  virtual ~LaneSteps() = default;
  virtual void set_plan(const Plan& plan) = 0;
  virtual void widen(const std::byte* raw) = 0;  // the only reader of the raw samples
  virtual void condition() = 0;
  // True when widen() does all, and condition() nothing.
  [[nodiscard]] virtual bool conditions_at_once() const { return false; }
  // Queues widen(), condition() and beamform() on `stream` from now on, in place of the processing stream. False when
  // they must stay there.
  virtual bool work_on(StreamView /*stream*/) { return false; }
  // How many frames the verbs take at once where that pays, one behind the other in `raw`; at most where kernels take
  // as long as copies. And how many the next verbs take.
  [[nodiscard]] virtual int frames_at_once(FrameOverlap::Bound /*bound*/) const { return 1; }
  virtual void take_frames(int /*count*/) {}
  // Asks beamform() to write decibels as well, of each frame to its own place; none: not. False when it cannot. Of
  // several frames it then writes nothing else.
  virtual bool write_decibels(std::span<float* const> /*db*/, float /*reference_db*/) { return false; }
  virtual void beamform() = 0;
  virtual void envelope() = 0;
  // After envelope(), on the processing stream: the complex pixels that the envelope is of; nullptr: there are none.
  virtual const Complex* weighed_pixels() { return nullptr; }
  // Level that the recipe takes from the frame itself, on the device; nullptr: it takes none.
  virtual const float* own_level_db() = 0;
  [[nodiscard]] virtual std::size_t line_floats() const = 0;  // in `lines`
  // The lines, as read back from `lines`, in the form that Lane::Tap::conditioned has. The device has finished.
  [[nodiscard]] virtual std::vector<float> lines_as_values(std::vector<float> read) const { return read; }
  [[nodiscard]] virtual std::size_t pixel_floats() const = 0;  // in `pixels`
};

std::unique_ptr<LaneSteps> make_analytic_steps(Context& context, LaneBuffers& buffers);
// Half precision: for plans that packed_steps_fit().
std::unique_ptr<LaneSteps> make_packed_steps(Context& context, LaneBuffers& buffers);
// Whether the current device, and the program's code for it, can do plan.packed.
bool packed_steps_fit(const Plan& plan);
std::unique_ptr<LaneSteps> make_course_steps(Context& context, LaneBuffers& buffers);

}  // namespace echoloop::cuda
