// What all lanes of the CUDA backend share: device, streams, clock, tables and transforms on the device.
// One stream each for copies to the device, kernels, and copies of images back: copies follow each other without a gap,
// kernels never wait for an image that travels to the host. Kernels of consecutive frames compete only where that pays
// (frame_overlap.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/host_memory.h"
#include "backend/cuda/runtime/math_libraries.h"
#include "backend/cuda/runtime/stream.h"

namespace echoloop::cuda {

// Whether the kernels of consecutive frames run side by side, each lane's on a stream of its own, or one after the
// other on the processing stream, and how many frames a launch takes. Kernels that take about as long as the copies to
// the device and run in order fall behind them at times, which costs a tenth: this is to be avoided from nine tenths of
// the copies' time on. Several frames a launch need less time each; where that is too long still, launches run side by
// side, which fills their gaps and tails but lowers the rate of the copies by some percent. So the first launches of a
// plan run in order and are measured, with the frames that are taken together in any case, then with as many as
// possible; and some of every thousand again. Most of them decide, as a pause of the host lengthens single ones.
// Processing thread only.

class FrameOverlap {
 public:
  enum class Bound { copies, kernels };  // what takes longer
  // Measured ones run in order, and measured() is wanted: with few frames (Bound::copies) or many (Bound::kernels).
  enum class Turn { in_order, measured_few, measured_many, side_by_side };

  // Frames of `plan` come next; it is compared by its owner, as a new plan can lie at the address of a former one.
  void begin(const std::shared_ptr<const void>& plan) {
    if (!plan_.owner_before(plan) && !plan.owner_before(plan_)) return;
    *this = {};
    plan_ = plan;
  }

  // Of the launch that starts now.
  [[nodiscard]] Turn next() {
    const Turn turn = turn_at(started_ % kPeriod);
    if (started_++ % kPeriod == 0) few_ = many_ = {};
    return turn;
  }
  // Of the one that starts next.
  [[nodiscard]] Bound bound() const {
    return started_ % kPeriod >= kFew && few_.is_longer() ? Bound::kernels : Bound::copies;
  }

  // The time that the bus, and that the kernels, took for a launch of such a turn.
  void measured(Turn turn, std::int64_t copy_ns, std::int64_t work_ns) {
    Measure& measure = turn == Turn::measured_few ? few_ : many_;
    ++measure.launches;
    measure.longer += work_ns > copy_ns - copy_ns / 10 ? 1 : 0;
  }

 private:
  struct Measure {
    int launches = 0;
    int longer = 0;  // whose kernels took nine tenths of the copies' time or more
    [[nodiscard]] bool is_longer() const { return 2 * longer > launches; }
  };

  [[nodiscard]] Turn turn_at(std::uint64_t place) const {
    if (place < kSettling) return Turn::in_order;
    if (place < kFew) return Turn::measured_few;
    if (!few_.is_longer() || place < kFew + kSettling) return Turn::in_order;
    if (place < kMany) return Turn::measured_many;
    return many_.is_longer() ? Turn::side_by_side : Turn::in_order;
  }

  static constexpr std::uint64_t kPeriod = 1024;
  static constexpr std::uint64_t kSettling = 8;  // launches of another kind have left the lanes
  static constexpr std::uint64_t kFew = 16;      // so many have been measured with few frames
  static constexpr std::uint64_t kMany = 32;     // and with many

  std::weak_ptr<const void> plan_;
  std::uint64_t started_ = 0;  // launches
  Measure few_, many_;
};

// Places the device's events on the clock of now_ns(). An anchor is an event whose host time is known; a new one about
// once a second, because an elapsed time is a float and the two clocks drift apart. Processing thread only.

class GpuClock {
 public:
  // `idle`: a stream without long work, so that an event on it passes at once. Waits for it a few times.
  explicit GpuClock(StreamView idle);

  // Once a second it takes a new anchor, waiting at most 50 us; otherwise it returns at once. Call before recording.
  void refresh();

  // An event whose host time is known.
  struct Anchor {
    Event event{EventUse::time};
    std::int64_t ns = 0;
    // Host time of an event that has passed.
    [[nodiscard]] std::int64_t to_ns(const Event& later) const;
  };

  // The last anchor before `first`. All times of a frame come from one anchor, so that they keep their order.
  [[nodiscard]] const Anchor& anchor_before(const Event& first) const;

 private:
  StreamView idle_;
  std::array<Anchor, 3> anchors_;
  std::size_t newest_ = 0;    // index in anchors_
  std::size_t previous_ = 0;  // for events older than the newest anchor
  std::int64_t tried_ns_ = 0;
};

struct Context {
  // The device must be the calling thread's current one.
  Context(int device_index, std::string device_name) : device(device_index), name(std::move(device_name)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The current device is a property of the thread: a thread that is new to it sets it first. [any thread]
  // Throws when the device is lost, without touching it.
  void make_current() const {
    if (device_lost()) throw CudaError(loss_text());
    CUDA_CHECK(cudaSetDevice(device));
  }

  // For destructors: what is queued there has been done, unless the device is lost. [any thread]
  void finish(StreamView stream) const noexcept {
    if (device_lost()) return;
    CUDA_QUIET(cudaSetDevice(device));
    stream.synchronize_quietly();
  }

  int device;
  std::string name;
  Stream copy;
  Stream processing{StreamPriority::high};  // before flow images
  Stream images;
  FrameOverlap overlap;  // of the stream's lanes
  Stream background;     // tables and clock anchors
  GpuClock clock{background.view()};
  FftCache ffts{processing.view()};
  TableCache tables{background.view(), processing.view()};
  std::shared_ptr<MappedRanges> mapped = std::make_shared<MappedRanges>();
  std::shared_ptr<KeptPages> kept = std::make_shared<KeptPages>();
};

}  // namespace echoloop::cuda
