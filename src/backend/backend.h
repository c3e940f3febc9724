// Interface of a computing device. The Pipeline drives lanes through the verbs of the signal chain; a verb may compute
// at once (CPU) or queue work on streams (CUDA). All calls: processing thread, unless noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/own_process.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/frame.h"
#include "core/results/image.h"
#include "core/results/live_images.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "dsp/complex.h"

namespace echoloop {

// Host memory for ring slots, freed with the object. `kind` is the kind obtained (a CPU backend gives pageable).
class HostMemoryBlock {
 public:
  virtual ~HostMemoryBlock() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  [[nodiscard]] virtual HostMemory kind() const = 0;
};

// Page-locks memory owned elsewhere (a recording) during its lifetime.
class PageLock {
 public:
  virtual ~PageLock() = default;
};

// Memory of the device, owned elsewhere, of frames that lanes read in place during its lifetime.
class LentMemory {
 public:
  virtual ~LentMemory() = default;
};

enum class DeviceFault { refused, lost };  // one call fails, the next may work; the device fails for good

// Bytes of device memory; 0 on the CPU.
struct DeviceMemory {
  std::size_t used = 0;  // by buffers of this backend
  std::size_t free = 0;  // available to any program
};

// The device lacks memory for a stream or its parameters: another backend, or less, may work.
class NoDeviceMemory : public Error {
 public:
  using Error::Error;
};

class Lane;

// Copies of a lane's samples, and their order with its kernels. serial: one stream for both.
enum class FramesApart { yes, no };  // no: frames that are processed together follow each other in memory
struct LaneSettings {
  LaneSettings(StreamMode streams) : streams(streams) {}  // NOLINT(google-explicit-constructor): most need no more
  StreamMode streams;
  HostMemory memory = HostMemory::pinned;  // requested kind of the slots: for a simulated bus
  CopySettings copy = {};
  FramesApart apart = FramesApart::yes;
};

// Result of a frame in memory of the device that its owner gives: complex pixels, their magnitudes, or decibels.
enum class ResultKind { pixels, magnitudes, decibels };
struct ResultPlace {
  ResultKind kind = ResultKind::decibels;
  std::byte* to = nullptr;    // frame after frame
  double reference_db = 0.0;  // of decibels
};

// Temporal average of a frame with its predecessors.
struct FrameAverage {
  const Lane* before = nullptr;  // lane of the same backend that holds the preceding frame; null: the average begins
  float keep = 0.0f;             // weight of the previous average
};

// Complex pixels of a beamformed frame, [nz][nx] of the beamformed grid: in host memory for the CPU; for a device in
// its own memory, complete in the order of its beamforming stream. values null: none (the course recipe).
struct PixelView {
  const Complex* values = nullptr;
  std::size_t count = 0;
};

// Computes for the engine of an analysis.
class AnalysisDevice {
 public:
  virtual ~AnalysisDevice() = default;
};

// One frame in flight with its buffers. Verbs per frame, in this order:
//   set_plan, upload, condition, beamform, envelope, compress, refine if the plan has it, optionally keep_line and
//   keep_pixels, finish; then
//   uploaded()/finished() until true, then image().
// Several frames at once, up to frames_at_once(), are processed together: expect_reference() must have been called
// with the level of compress(), and refine(), keep_line(), keep_pixels() and pixels() are excluded.
// Only wait() waits for the device, and set_plan() when sizes grow.
class Lane {
 public:
  virtual ~Lane() = default;

  // Sets tables and buffers for the next frames; cheap if the plan is unchanged. Call only between frames.
  virtual void set_plan(const std::shared_ptr<const Plan>& plan) = 0;

  // Frames on a CUDA stream of a caller, or beside it on the lane's own one, until leave(): work queued on the caller's
  // stream later follows them, as far as write_results() wrote them. Returns false if they stay on the backend's
  // streams.
  enum class WorkPlace { callers, beside };
  [[nodiscard]] virtual bool work_on(std::uintptr_t /*stream*/, WorkPlace /*place*/) { return false; }
  virtual void leave() {}

  // Returns the number of frames that the verbs can process together with this plan: above 1 where frames are so small
  // that the host's work per frame would be the limit.
  [[nodiscard]] virtual int frames_at_once() const { return 1; }
  // For a method in another process (backend/own_process.h). write_input(): copies rows `first` to `first` + `rows` of
  // an array of the frame to the host; of rf and lines all of it: from condition() on; channels: then as well; iq: from
  // beamform() on; image: from compress() on. Waits. put_pixels(): in place of beamform(), or after it; put_levels():
  // replaces the image, before finish().
  virtual void write_input(OwnInput /*input*/, int /*first*/, int /*rows*/, std::span<std::byte> /*to*/) {}
  virtual void put_pixels(std::span<const Complex> /*values*/) {}
  virtual void put_levels(std::span<const float> /*values*/) {}
  // Returns memory of the device for an array and its answer, at least so large; null: there is none for other
  // processes. write_input() into it queues; put_shared() in place of put_pixels() and put_levels().
  virtual SharedDeviceMemory* share_memory(std::size_t /*in_bytes*/, std::size_t /*out_bytes*/) { return nullptr; }
  virtual void put_shared(OwnResult /*result*/) {}
  [[nodiscard]] virtual bool given_up() const { return false; }  // see Backend::abandon()
  // Returns true if write_input() of rf does not need condition(), which may then follow it.
  [[nodiscard]] virtual bool conditions_late() const { return false; }
  // Starts the copy of the samples, which must stay valid until uploaded(). Keeps the stamps for image(). At least one
  // frame, at most frames_at_once().
  virtual void upload(std::span<const RfFrame> frames) = 0;
  void upload(const RfFrame& frame) { upload(std::span(&frame, 1)); }
  // Injected faults (core/stream_settings.h), between upload() and condition(). load(): the device is busy for `ms`
  // before it processes the frame. fail(): the device fails; this call or a later verb throws.
  // miss_event(), before upload(): the frame's kernels do not wait for its copy; Image::torn_share tells the result.
  virtual void miss_event() {}
  virtual void load(double ms) = 0;
  virtual void fail(DeviceFault fault) = 0;
  virtual void condition() = 0;  // analytic: removes the mean of RF, selects the band, gives complex lines; course: FIR
  virtual void beamform() = 0;   // analytic: complex pixels; course: real pixels
  virtual void envelope() = 0;   // analytic: magnitude; course: Hilbert transform along depth, magnitude
  // Sets the level of the later compress(), if known, before beamform(): decibels may then be written while
  // beamforming.
  virtual void expect_reference(double /*reference_db*/) {}
  // Requests the results at this place, before beamform(). Returns false if they must be fetched from pixels(),
  // magnitudes() or image(); image().device_db may then be the place.
  [[nodiscard]] virtual bool write_results(const ResultPlace& /*place*/) { return false; }
  // Converts to dB re reference_db; the course recipe ignores it and divides by the frame's own maximum. May be called
  // again after finished() with another reference, followed by finish().
  virtual void compress(double reference_db) = 0;
  // Applies the temporal average, if any, and the image filters; after the last compress() of a frame whose plan has a
  // RefinePlan. Averaged frames come in order, each with the lane of its predecessor.
  virtual void refine(const FrameAverage* average) = 0;  // null: no average
  // Requests the image's column `column` on the host, for line(); before finish(). A device copies only the column.
  virtual void keep_line(int column) = 0;
  // Requests the complex pixels of the image, after the weight of an adaptive method, on the host, for kept_pixels();
  // before finish(). Not after expect_reference(), nor if why_no_pixels() (backend/frame_processor.h) has a reason.
  virtual void keep_pixels() = 0;
  virtual void finish(HostCopy copy) = 0;  // ends the frame

  [[nodiscard]] virtual bool uploaded() = 0;  // the frame's samples are no longer needed
  [[nodiscard]] virtual bool finished() = 0;  // the image is complete
  virtual void wait() = 0;  // waits until finished(); after a throwing verb: until the samples are no longer needed

  // Returns the pixels of the frame in the lane: from beamform() without expect_reference() until the next frame.
  [[nodiscard]] virtual PixelView pixels() = 0;
  // Returns the pixels after the weight of an adaptive method, and the magnitudes that decibels are made of, as
  // pixels(); null: none on a device.
  [[nodiscard]] virtual const Complex* weighed_pixels() { return nullptr; }
  [[nodiscard]] virtual const float* magnitudes() { return nullptr; }

  // Returns the image of the k-th finished frame, with stamp, grid, pixel pointers and storage; the Pipeline completes
  // it and swaps it through a Mailbox, so that the next frame may find another image's storage here (or none).
  [[nodiscard]] virtual Image& image(std::size_t k) = 0;
  [[nodiscard]] Image& image() { return image(0); }

  // Returns the kept column of the finished frame, dB, [nz]. Valid until the next frame's verbs.
  [[nodiscard]] virtual std::span<const float> line() = 0;
  // Returns the kept pixels of the finished frame, [nz][nx] of the beamformed grid. Valid until the next frame's verbs.
  [[nodiscard]] virtual std::span<const Complex> kept_pixels() = 0;

  // Appends stage spans of the finished frame, on the clock of now_ns().
  virtual void append_spans(TimingTrace& trace) = 0;

  // For parity tests: copies an intermediate result to the host; waits.
  enum class Tap { conditioned, beamformed, envelope };  // complex/real lines; complex/real pixels; real pixels
  virtual std::vector<float> read_back(Tap tap) = 0;     // complex values as (re, im) pairs
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;    // "CUDA", "CPU"
  [[nodiscard]] virtual std::string device() const = 0;  // "NVIDIA H200", "2 threads"
  [[nodiscard]] virtual std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) = 0;
  // Keeps up to `bytes` of released page-locked memory for later blocks: locking takes longer than a short recording.
  // No effect on the CPU.
  virtual void keep_host_memory(std::size_t /*bytes*/) {}
  // Returns nullptr if this memory cannot be page-locked (it is then copied from as it is).
  [[nodiscard]] virtual std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) = 0;
  // Lends memory of the device. Throws Error for memory elsewhere; nullptr: the device has no memory of its own.
  [[nodiscard]] virtual std::unique_ptr<LentMemory> lend(std::span<const std::byte> /*memory*/) { return nullptr; }
  // Order with a CUDA stream of a caller (0: the legacy default stream), without waiting: frames that begin later
  // follow the work queued there so far; work queued there later follows the frames begun so far.
  virtual void follow(std::uintptr_t /*stream*/) {}
  virtual void lead(std::uintptr_t /*stream*/) {}
  // Copies a result of the frames begun so far, on a device in the order of its work; `to` is then memory of the
  // device.
  virtual void copy_in_order(std::span<std::byte> to, const void* from) { copy(to, from); }
  // Copies from or to memory of host or device; the source is complete. Returns when the copy is.
  virtual void copy(std::span<std::byte> to, const void* from) { std::memcpy(to.data(), from, to.size()); }
  // Returns a lane. `number`: lane index of spans.
  [[nodiscard]] virtual std::unique_ptr<Lane> make_lane(int number, const LaneSettings& settings) = 0;
  // Returns the device of an analysis, by its place in AnalysisList. Throws Error if not available.
  [[nodiscard]] virtual std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) = 0;
  template <class A>
  [[nodiscard]] std::unique_ptr<typename A::Device> make_device() {
    return std::unique_ptr<typename A::Device>(
        static_cast<typename A::Device*>(make_analysis_device(index_of_analysis<A>()).release()));
  }
  [[nodiscard]] virtual DeviceMemory memory() const = 0;  // any thread
  // Returns true if the lanes compute on another device than this machine's cores: a thread that polls a lane then does
  // not slow it down.
  [[nodiscard]] virtual bool computes_elsewhere() const { return false; }
  // Properties used to plan the lanes. [any thread]
  [[nodiscard]] virtual Multiprocessors multiprocessors() const { return kSinglePrecisionOnly; }
  // Makes the verbs of the lanes, until resume(), return as soon as possible, with incomplete results. Optional for
  // devices with short frames. [any thread]
  virtual void abandon() {}
  virtual void resume() {}
  // Begins one piece of work, up to end_work(). After supersede() its verbs return early if the rest would take long,
  // and end_work() returns false: the results are incomplete. Optional for devices with short frames. supersede()
  // follows the change that causes it: check for changes after begin_work().
  virtual void begin_work() {}
  [[nodiscard]] virtual bool end_work() { return true; }
  virtual void supersede() {}                                     // any thread
  [[nodiscard]] virtual double remaining_s() const { return 0; }  // of the current work; 0: unknown; any thread
  // Returns false once the device is lost: its objects can then only be destroyed; another backend may work.
  [[nodiscard]] virtual bool usable() const { return true; }  // any thread
};

// Instruction set of the CPU's kernels; automatic: the best of this processor, or the environment variable
// ECHOLOOP_CPU_KERNEL (portable, avx2, avx512). portable is the specification: FFTs, floats and the plain loop.
enum class CpuKernel { automatic, portable, avx2, avx512 };
[[nodiscard]] bool has_cpu_kernel(CpuKernel kernel);

// Makes a backend; threads 0: all cores. Throws Error if this processor lacks the kernel.
std::unique_ptr<Backend> make_cpu_backend(int threads = 0, CpuKernel kernel = CpuKernel::automatic);

// GPU of this machine, usable or not.
struct Gpu {
  std::string name;
  std::size_t memory = 0, free = 0;  // bytes
};
inline constexpr int kAnyGpu = -1;

#if defined(ECHO_HAVE_CUDA)
// Returns all GPUs, by their number.
std::vector<Gpu> list_gpus();
// Returns nullptr, and the reason in one line, if the GPU of that number, or any, is not usable.
std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, int gpu = kAnyGpu);
#else
inline std::vector<Gpu> list_gpus() { return {}; }
inline std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, int /*gpu*/ = kAnyGpu) {
  why_not = "this program was built without CUDA";
  return nullptr;
}
#endif

}  // namespace echoloop
