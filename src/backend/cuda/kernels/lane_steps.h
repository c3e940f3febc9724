// Stages of a recipe on a lane's buffers. Each verb queues its kernels on the processing stream and returns. Three
// implementations: the analytic recipe, the same in half precision, and the course's. Processing thread only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/plan.h"

namespace echoloop::cuda {

// Device memory of one frame in flight, shared by the recipes, so that a change of recipe needs no second set.
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
        peak(context.processing.view()),
        invalid(context.processing.view()) {}
  DeviceBuffer raw;             // [n_tx][n_el][n_samples] as acquired (IQ: pairs)
  DeviceBuffer wide;            // float lines, padded; analytic: their spectra, in place
  DeviceBuffer lines;           // conditioned: analytic Complex [n_tx][n_el][n_out] or packed words,
                                // course float [n_tx][n_el][n_samples]
  DeviceBuffer pixels;          // analytic Complex [nz][nx], course float [nz][nx]
  DeviceBuffer weights;         // float [nz][nx] of the pixels' amplitudes, with an adaptive method
  DeviceBuffer method_scratch;  // Complex, of methods that read rows
  DeviceBuffer columns;         // course: Complex [nz][nx]
  DeviceBuffer weighed;         // Complex, kept pixels after the weight
  DeviceBuffer envelope;        // float [nz][nx]
  DeviceBuffer peak;            // course: float [kMaxPartials + 1], the last one the level in dB; slsc: the first one 0
  DeviceBuffer invalid;         // InvalidFound, of float32
};

class LaneSteps {
 public:
  virtual ~LaneSteps() = default;
  virtual void set_plan(const Plan& plan) = 0;
  virtual void count_invalid_in(const InvalidSink& sink) = 0;  // after set_plan()
  virtual void widen(const std::byte* raw) = 0;                // the only reader of the raw samples
  virtual void condition() = 0;
  // Returns true if widen() also does the work of condition().
  [[nodiscard]] virtual bool conditions_at_once() const { return false; }
  // Queues widen(), condition() and beamform() on `stream` from now on, instead of the processing stream. Returns false
  // if they must stay there.
  virtual bool work_on(StreamView /*stream*/) { return false; }
  // Returns the number of frames that the verbs process at once where that pays, contiguous in `raw`; at most if
  // kernels take as long as copies. take_frames() sets it for the next verbs.
  [[nodiscard]] virtual int frames_at_once(FrameOverlap::Bound /*bound*/) const { return 1; }
  virtual void take_frames(int /*count*/) {}
  // Requests decibels from beamform(), each frame's to its own place (empty: none), and of several frames nothing else.
  // Returns false if not possible.
  virtual bool write_decibels(std::span<float* const> /*db*/, float /*reference_db*/) { return false; }
  // The same for results of another kind, each frame's after the other; write_decibels() ends it.
  virtual bool write_results(const ResultPlace& /*place*/) { return false; }
  virtual void beamform() = 0;
  virtual void envelope() = 0;
  virtual void replace_pixels() {}  // `pixels` have other values than those of beamform(); before envelope()
  // Returns the complex pixels of the envelope, after envelope(), on the processing stream; nullptr: none.
  virtual const Complex* weighed_pixels() { return nullptr; }
  // Returns the level that the recipe derives from the frame itself, on the device; nullptr: none.
  virtual const float* own_level_db() = 0;
  [[nodiscard]] virtual std::size_t line_floats() const = 0;  // in `lines`
  // Converts the lines, as read back from `lines`, to the form of Lane::Tap::conditioned. The device has finished.
  [[nodiscard]] virtual std::vector<float> lines_as_values(std::vector<float> read) const { return read; }
  [[nodiscard]] virtual std::size_t pixel_floats() const = 0;  // in `pixels`
  // Returns rows of delayed channels, [rows][nx][element]; null: there are none.
  virtual const Complex* delay_channels(int /*first*/, int /*rows*/) { return nullptr; }
};

std::unique_ptr<LaneSteps> make_analytic_steps(Context& context, LaneBuffers& buffers);
// For plans with packed_steps_fit(), in half precision.
std::unique_ptr<LaneSteps> make_packed_steps(Context& context, LaneBuffers& buffers);
// Returns true if the current device, and the program's code for it, support plan.packed.
bool packed_steps_fit(const Plan& plan);
std::unique_ptr<LaneSteps> make_course_steps(Context& context, LaneBuffers& buffers);

// Tables of the beamformer on the device.
struct DasOnDevice {
  DasGeometry geometry{};                               // device pointers into the tables below
  bool is_flat = false;                                 // Cartesian, and all elements have z 0
  std::shared_ptr<const DeviceTables> tables, weights;  // weights: null if all are 1
  std::shared_ptr<const DeviceTables> cones;            // null: none
};

// Shares the tables with other lanes of the same plan. Kernels queued on `stream` later find them complete.
DasOnDevice das_on_device(Context& context, const DasPlan& plan, StreamView stream);

}  // namespace echoloop::cuda
