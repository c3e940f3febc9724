// Lane of the CUDA backend: one frame in flight, or several small ones. Its verbs queue work and return. Copies to the
// device run on the copy stream, kernels on the processing stream, images to the host on a third; events order them and
// time the stages. Up to the first decibels the kernels may run on the lane's own stream, concurrent with those of
// other lanes: such a frame starts after all queued work of the processing stream (fork), which waits for it (join)
// before its results are used. In serial mode all streams are the processing stream; in default_stream mode copies are
// queued on the default stream, for which all other streams wait, and it for them. Processing thread only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/image_storage.h"
#include "backend/cuda/kernels/lane_steps.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/shared_memory.h"
#include "backend/das_tables.h"
#include "core/results/image.h"

namespace echoloop::cuda {

// Refine stage on the device: kernels around dsp/refine.h, and their buffers. One per lane. Queues work on the
// processing stream, in the order of the frames of all lanes. Processing thread only.

// 0 dB of the decibels: a number, or one measured on the device.
struct LevelReference {
  float db;
  const float* measured_db;  // null: `db`
};

class CudaRefiner {
 public:
  explicit CudaRefiner(Context& context);
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Averages amplitudes [nz][nx] with those of `before`, weighted by `keep` (null: no average), and keeps the result
  // until the next call. Writes it to `db` in dB.
  void average(const CudaRefiner* before, float keep, const float* amplitudes, const LevelReference& reference,
               float* db);
  void filter(float* db);  // in place

 private:
  Context& context_;
  std::shared_ptr<const RefinePlan> plan_;
  std::shared_ptr<const DeviceTables> taps_;
  DeviceBuffer average_;  // float [nz][nx], amplitudes
  DeviceBuffer scratch_;  // float [nz][nx], dB
};

class CudaLane final : public Lane {
 public:
  CudaLane(std::shared_ptr<Context> context, int number, const LaneSettings& settings);
  ~CudaLane() override;
  CudaLane(const CudaLane&) = delete;
  CudaLane& operator=(const CudaLane&) = delete;

  void set_plan(const std::shared_ptr<const Plan>& plan) override;
  [[nodiscard]] bool work_on(std::uintptr_t stream, WorkPlace place) override;
  void leave() override {
    if (!own_.callers.has_value()) return;
    own_.left.record(own_.place());
    own_.has_left = true;
    if (own_.beside) own_.left.make_wait(*own_.callers);
    own_.callers.reset();
    own_.in_use = false;
    static_cast<void>(steps_->work_on(processing()));
  }
  // 1 if frames are in mapped memory, read in place and apart, and for image filters, which process one frame.
  [[nodiscard]] int frames_at_once() const override {
    const bool whole = plan_->formed->frame_bytes() == plan_->acquisition->frame_bytes();  // not some of its transmits
    const bool adjacent = frame_copy_.apart == FramesApart::no && whole;
    const bool together = (adjacent || context_->mapped->empty()) && may_overlap() && plan_->refine == nullptr;
    if (together && adjacent) return most_frames();
    return together ? steps_->frames_at_once(context_->overlap.bound()) : 1;
  }
  void miss_event() override { frame_copy_.misses_event = true; }
  void upload(std::span<const RfFrame> frames) override;
  void load(double ms) override;
  void fail(DeviceFault fault) override;
  void condition() override;
  void expect_reference(double reference_db) override;
  [[nodiscard]] bool write_results(const ResultPlace& place) override;
  void beamform() override;
  void envelope() override;
  void compress(double reference_db) override;
  void refine(const FrameAverage* average) override;
  void keep_line(int column) override;
  void keep_pixels() override;
  void finish(HostCopy copy) override;
  [[nodiscard]] bool uploaded() override;
  [[nodiscard]] bool finished() override;
  // After a verb threw: waits until the device no longer uses the frame's samples, so that the lane can start another
  // frame.
  void wait() override;
  [[nodiscard]] PixelView pixels() override;
  [[nodiscard]] const Complex* weighed_pixels() override {
    join();
    return steps_->weighed_pixels();
  }
  [[nodiscard]] const float* magnitudes() override {
    join();
    return buffers_.envelope.as<float>();
  }
  [[nodiscard]] Image& image(std::size_t k) override { return images_.at(k); }
  [[nodiscard]] std::span<const float> line() override {
    return {line_.db.as<float>(), static_cast<std::size_t>(plan_->grid.nz)};
  }
  [[nodiscard]] std::span<const Complex> kept_pixels() override { return {kept_.values.as<Complex>(), kept_.count}; }
  void append_spans(TimingTrace& trace) override;
  std::vector<float> read_back(Tap tap) override;
  void write_input(OwnInput input, int first, int rows, std::span<std::byte> to) override;
  void put_pixels(std::span<const Complex> values) override;
  void put_levels(std::span<const float> values) override;
  SharedDeviceMemory* share_memory(std::size_t in_bytes, std::size_t out_bytes) override {
    return CudaSharedMemory::fit(shared_, context_, in_bytes, out_bytes);
  }
  void put_shared(OwnResult result) override;
  [[nodiscard]] bool given_up() const override { return context_->work.abandoned(); }

 private:
  // Points in time of the frames; a stage lies between two of them. Each costs the processing thread 1 to 2 us: for
  // overlapping frames, conditioning begins with the end of the upload.
  enum Mark {
    kUpload,
    kUploaded,
    kLoad,
    kLoaded,
    kCondition,
    kConditioned,
    kBeamformed,
    kDetected,
    kCompress,
    kCompressed
  };
  // Progress of the frames.
  struct FrameState {
    std::size_t count = 1;     // frames together
    bool in_place = false;     // samples are read from mapped host memory
    bool loaded = false;       // load() was called
    bool unordered = false;    // the kernels do not wait for the copy
    bool conditioned = false;  // condition()
    bool compressed = false;
    bool refined = false;
    bool line_kept = false;
    bool pixels_kept = false;
    bool ended = false;                // finish() followed the last verb
    std::optional<double> written_db;  // level of the decibels written by beamform()
    Mark condition_begin = kCondition;
    Mark compress_begin = kDetected;  // kCompressed: beamform() wrote the decibels
  };
  struct TimeMark {
    Event event{EventUse::time};
  };
  struct Marks {
    std::array<TimeMark, kCompressed> before;    // all but the last
    Event compressed{EventUse::time_and_sleep};  // a waiting thread sleeps on it
    Event refined{EventUse::time_and_sleep};     // the same, for refined frames
  };

  // Invalid samples of the frames, of float32, on the host.
  struct InvalidCopy {
    ReadbackBuffer found;   // InvalidFound, as far as there are elements
    std::size_t bytes = 0;  // 0: not counted
    bool awaited = false;   // of the frames in work
    Event there{EventUse::sleep};
  };

  // Samples of the frame on the device.
  struct RawSamples {
    const std::byte* at = nullptr;
    Event widened{EventUse::order};  // widening has read them
    const Event* read = &widened;    // recorded after the last reader
    bool free = false;               // known to have passed
    InvalidCopy invalid = {};
  };

  // Kept column, on the host.
  struct KeptLine {
    ReadbackBuffer db;
    Event there{EventUse::sleep};
  };

  // Kept complex pixels, on the host.
  struct PixelCopy {
    ReadbackBuffer values;
    std::size_t count = 0;
    Event weighed{EventUse::order};
    Event there{EventUse::sleep};
    Event image_there{EventUse::sleep};  // of the image's levels
  };

  // Per recipe, made when first used.
  struct RecipeSteps {
    std::unique_ptr<LaneSteps> analytic, packed, course;
  };

  // Stream of this lane's kernels only.
  struct OwnStream {
    Stream stream{StreamPriority::high};
    Event forked{EventUse::order};
    Event joined{EventUse::order};
    FrameOverlap::Turn turn = FrameOverlap::Turn::in_order;  // of the frame
    bool in_use = false;                                     // the frame's kernels run there
    std::optional<StreamView> callers = {};                  // from work_on() to leave()
    bool beside = false;                                     // on `stream`, while there is a caller's
    Event left{EventUse::order};                             // end of the last frames in a caller's order
    bool has_left = false;                                   // it is to be waited for
    [[nodiscard]] StreamView place() const { return callers.has_value() && !beside ? *callers : stream.view(); }
  };

  // Further streams for the pieces of a frame's copy, in turn.
  struct FrameCopy {
    FrameCopy(const Context& context, const LaneSettings& with);
    StreamMode mode;
    CopySettings settings;
    FramesApart apart;
    StreamView stream;                             // samples to the device
    std::vector<std::unique_ptr<Stream>> streams;  // beside the copy stream
    Event piece{EventUse::order};                  // end of the pieces on one of them
    bool misses_event = false;                     // the next frame
  };

  void copy_piece(std::byte* to, const std::byte* from, std::size_t bytes, std::size_t piece);
  void join_copies();
  void note_torn();
  void count_invalid();
  void note_invalid();
  [[nodiscard]] bool may_overlap() const;
  [[nodiscard]] int most_frames() const;
  void fork();
  void join() {
    if (!own_.in_use) return;
    own_.joined.record(own_.place());
    own_.joined.make_wait(processing());
    own_.in_use = false;
    static_cast<void>(steps_->work_on(processing()));
  }
  void find_samples(std::span<const std::byte> frame);
  void copy_samples(std::span<const RfFrame> frames);
  void write_decibels();
  LaneSteps& steps_for(const Plan& plan);
  Event& event(Mark mark) {
    return mark == kCompressed ? marks_.compressed : marks_.before[static_cast<std::size_t>(mark)].event;
  }
  [[nodiscard]] Event& picture_mark() { return frame_.refined ? marks_.refined : marks_.compressed; }
  void mark(Mark mark, StreamView stream) { event(mark).record(stream); }
  [[nodiscard]] StreamView processing() const { return context_->processing.view(); }
  // Returns the stream of the kernels up to the decibels.
  [[nodiscard]] StreamView work() const { return own_.in_use ? own_.place() : processing(); }
  // Returns true if the frames are only in the order of a caller's stream: no event of theirs is waited for.
  [[nodiscard]] bool callers_order() const { return own_.in_use && own_.callers.has_value() && frame_.in_place; }

  std::shared_ptr<Context> context_;  // first: freed last
  int number_;
  OwnStream own_;
  FrameCopy frame_copy_;
  StreamView to_host_;  // images
  LaneBuffers buffers_;
  CudaRefiner refiner_;
  LevelReference level_{};  // 0 dB of the frame
  RecipeSteps recipes_;
  LaneSteps* steps_ = nullptr;  // of the plan in use
  std::shared_ptr<const Plan> plan_;
  std::vector<std::uint64_t> sequences_;  // of the frames
  RawSamples raw_;
  FrameState frame_;
  Marks marks_;
  KeptLine line_;
  PixelCopy kept_;
  const Event* end_ = nullptr;                // event of the end of a finished frame
  std::unique_ptr<CudaSharedMemory> shared_;  // with a method in another process; null: not yet
  std::vector<Image> images_;                 // of the frames
};

}  // namespace echoloop::cuda
