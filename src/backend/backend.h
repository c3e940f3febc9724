// What a computing device must offer. The Pipeline drives lanes through the verbs of the signal chain; it does not know
// whether a verb computes at once (CPU) or only queues work on streams (CUDA). All calls: processing thread, unless
// said.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/plan.h"
#include "core/frame.h"
#include "core/results/image.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "dsp/complex.h"

namespace echoloop {

// Host memory for ring slots, freed with the object. `kind` is what was really given (a CPU backend gives pageable).
class HostMemoryBlock {
 public:
  virtual ~HostMemoryBlock() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  [[nodiscard]] virtual HostMemory kind() const = 0;
};

// Page-locks memory that somebody else owns (a recording) while it exists.
class PageLock {
 public:
  virtual ~PageLock() = default;
};

enum class DeviceFault { refused, lost };  // one call fails and the next may work; nothing works any more

// Bytes of device memory; 0 on the CPU.
struct DeviceMemory {
  std::size_t used = 0;  // by this backend's buffers
  std::size_t free = 0;  // that anybody could still take
};

class Lane;

// How a frame joins the temporal average.
struct FrameAverage {
  const Lane* before = nullptr;  // of the same backend, whose last frame was the one before; null: the average begins
  float keep = 0.0f;             // weight of the average until then
};

// The complex pixels of a beamformed frame, [nz][nx] of the beamformed grid: in host memory where the CPU computes; on
// a device in its own memory, complete in the order of the stream that it beamforms on. values null: there are none
// (the course recipe).
struct PixelView {
  const Complex* values = nullptr;
  std::size_t count = 0;
};

class FlowDevice;    // backend/flow_device.h
class GateDevice;    // backend/flow_device.h
class ObjectDevice;  // backend/object_plan.h

// One frame in flight and all its buffers. For each frame, in this order:
//   set_plan, upload, condition, beamform, envelope, compress, refine if the plan has it, keep_line and keep_pixels or
//   not, finish; then
//   uploaded()/finished() until true, then image().
// Several frames at once, where frames_at_once() allows it, go the same way together: expect_reference() must have been
// called with the level of compress(), and there is neither refine() nor keep_line() nor keep_pixels() nor pixels().
// Nothing here waits for the device except wait(), and set_plan() when sizes grow.
class Lane {
 public:
  virtual ~Lane() = default;

  // Tables and buffers for the frames to come. Cheap when the plan is the one already set. May be called only between
  // frames.
  virtual void set_plan(const std::shared_ptr<const Plan>& plan) = 0;

  // How many frames the verbs may take together with the plan that is set: more than one where frames are so small that
  // the host's work on each would be the bound.
  [[nodiscard]] virtual int frames_at_once() const { return 1; }
  // Starts the copy of the samples; they must stay until uploaded(). Remembers the stamps for image(). At least one
  // frame, at most frames_at_once().
  virtual void upload(std::span<const RfFrame> frames) = 0;
  void upload(const RfFrame& frame) { upload(std::span(&frame, 1)); }
  // Injected faults (core/stream_settings.h), between upload() and condition(). load(): the device is busy for `ms`
  // before it works on the frame. fail(): the device does what it does when it fails; an exception comes from here or
  // from a later verb.
  virtual void load(double ms) = 0;
  virtual void fail(DeviceFault fault) = 0;
  virtual void condition() = 0;  // analytic: RF mean removed, band selected, complex lines; course: FIR
  virtual void beamform() = 0;   // analytic: complex pixels; course: real pixels
  virtual void envelope() = 0;   // analytic: magnitude; course: Hilbert transform along depth, magnitude
  // Before beamform(): the level that compress() will be called with, where it is known: the decibels may then be
  // written on the way.
  virtual void expect_reference(double /*reference_db*/) {}
  // dB against reference_db; the course recipe divides by the frame's own maximum instead and ignores it.
  // May be called again after finished() (another reference), followed by finish().
  virtual void compress(double reference_db) = 0;
  // After the last compress() of a frame whose plan has a RefinePlan: the temporal average, where one is asked for,
  // then the image's filters. Frames that are averaged come in order, each with the lane of the one before it.
  virtual void refine(const FrameAverage* average) = 0;  // null: the frame alone
  // Before finish(): the image's column `column` is wanted on the host, for line(). Where the CPU does not compute,
  // only the column is copied.
  virtual void keep_line(int column) = 0;
  // Before finish(): the complex pixels that the image shows, after the weight of an adaptive method, are wanted on the
  // host, for kept_pixels(). Not after a level was expected, nor where why_no_pixels() (backend/frame_processor.h) has
  // a reason.
  virtual void keep_pixels() = 0;
  virtual void finish(HostCopy copy) = 0;  // ends the frame

  [[nodiscard]] virtual bool uploaded() = 0;  // the frame's samples are no longer needed
  [[nodiscard]] virtual bool finished() = 0;  // the image is complete
  virtual void wait() = 0;  // until finished(); after a verb threw: until the frame's samples are no longer needed

  // Of the frame in the lane; after beamform(), without a level that was expected, until the next frame's verbs.
  [[nodiscard]] virtual PixelView pixels() = 0;

  // The image of the k-th frame that has finished: stamp, grid, pixel pointers and storage are set; the Pipeline fills
  // in the rest and swaps it through a Mailbox, so that the next frame may find another image's storage here (or none).
  [[nodiscard]] virtual Image& image(std::size_t k) = 0;
  [[nodiscard]] Image& image() { return image(0); }

  // Of the finished frame, dB, [nz]: its column that was kept. Valid until the next frame's verbs.
  [[nodiscard]] virtual std::span<const float> line() = 0;
  // Of the finished frame, [nz][nx] of the beamformed grid: its pixels that were kept. Valid likewise.
  [[nodiscard]] virtual std::span<const Complex> kept_pixels() = 0;

  // Stage spans of the finished frame, on the clock of now_ns().
  virtual void append_spans(TimingTrace& trace) = 0;

  // For parity tests: copies an intermediate result to the host. Waits.
  enum class Tap { conditioned, beamformed, envelope };  // complex/real lines; complex/real pixels; real pixels
  virtual std::vector<float> read_back(Tap tap) = 0;     // complex values as (re, im) pairs
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;    // "CUDA", "CPU"
  [[nodiscard]] virtual std::string device() const = 0;  // "NVIDIA H200", "2 threads"
  [[nodiscard]] virtual std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) = 0;
  // From here on as many bytes of page-locked memory that is given back are kept for later blocks: locking takes longer
  // than a short recording. Nothing on the CPU.
  virtual void keep_host_memory(std::size_t /*bytes*/) {}
  // nullptr when this memory cannot be page-locked (then it is copied from as it is).
  [[nodiscard]] virtual std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) = 0;
  // `number`: lane index, for spans. `mode` serial: one stream for copies and kernels.
  [[nodiscard]] virtual std::unique_ptr<Lane> make_lane(int number, StreamMode mode) = 0;
  // What ensembles of frames are filtered with, beside the lanes. Throws Error when this machine cannot.
  [[nodiscard]] virtual std::unique_ptr<FlowDevice> make_flow_device() = 0;
  // What takes a Doppler gate's samples of each frame. Throws Error when this machine cannot.
  [[nodiscard]] virtual std::unique_ptr<GateDevice> make_gate_device() = 0;
  // What finds objects in finished images, beside the lanes. Throws Error when this machine cannot.
  [[nodiscard]] virtual std::unique_ptr<ObjectDevice> make_object_device() = 0;
  [[nodiscard]] virtual DeviceMemory memory() const = 0;  // any thread
  // Whether the lanes' work is done elsewhere than on this machine's cores, so that a thread that waits for a lane
  // takes nothing from it by asking again and again.
  [[nodiscard]] virtual bool computes_elsewhere() const { return false; }
  // For the plans of its lanes. [any thread]
  [[nodiscard]] virtual Multiprocessors multiprocessors() const { return kSinglePrecisionOnly; }
  // From abandon() to resume() the verbs of the lanes return as soon as possible, with incomplete results. A device
  // whose frames are short need not. [any thread]
  virtual void abandon() {}
  virtual void resume() {}
  // The verbs from begin_work() to end_work() are one piece of work. After supersede() they return as soon as possible
  // if the rest would take long, and end_work() says false: the results are incomplete. A device whose frames are short
  // need not. supersede() comes after the news that it is about: who begins looks for news after begin_work().
  virtual void begin_work() {}
  [[nodiscard]] virtual bool end_work() { return true; }
  virtual void supersede() {}                                     // any thread
  [[nodiscard]] virtual double remaining_s() const { return 0; }  // of what is under way, 0: unknown; any thread
  // False once the device is lost for good: what this backend made can only be destroyed, another one may go on.
  [[nodiscard]] virtual bool usable() const { return true; }  // any thread
};

// Instruction set of the CPU's kernels; automatic: the best that this processor has, or what the environment variable
// ECHOLOOP_CPU_KERNEL names (portable, avx2, avx512). portable is the specification: FFTs, floats and the plain loop.
enum class CpuKernel { automatic, portable, avx2, avx512 };
[[nodiscard]] bool has_cpu_kernel(CpuKernel kernel);

// threads 0: all cores. Throws Error when this processor does not have the kernel that was asked for.
std::unique_ptr<Backend> make_cpu_backend(int threads = 0, CpuKernel kernel = CpuKernel::automatic);

// nullptr when there is no usable device (or the program was built without CUDA), and why in one line.
std::unique_ptr<Backend> make_cuda_backend(std::string& why_not);

}  // namespace echoloop
