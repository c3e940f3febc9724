// State shared by all lanes of the CUDA backend: device, streams, clock, tables and transforms on the device. One
// stream each for copies to the device, kernels, and copies of images to the host: copies follow without gaps, kernels
// never wait for an image on its way to the host. Kernels of consecutive frames overlap only where that pays
// (FrameOverlap).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/math_libraries.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/plain_array.h"

// Host memory for ring slots in CUDA's kinds, and page-locking of memory owned elsewhere.

namespace echoloop::cuda {

// Memory that kernels can read in place: of the host, filled where slots are made, or of the device (Backend::lend);
// its host address then is that of the device. Queried by lanes. A block may hold many slots: any part of it is found.
// The caller of a lane keeps a frame's block alive until uploaded().
class MappedRanges {
 public:
  void add(std::span<const std::byte> host, const std::byte* device);  // any thread
  void remove(const std::byte* host);                                  // any thread
  // Returns the device address of `samples`, nullptr outside mapped memory. [any thread]
  [[nodiscard]] const std::byte* find(std::span<const std::byte> samples) const;
  [[nodiscard]] bool empty() const;  // any thread

 private:
  struct Range {
    std::size_t bytes;
    const std::byte* device;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, Range> ranges_;  // by start address, disjoint; under mutex_
};

// Memory of one kind; pageable if the system cannot lock that many pages.
class HostPages {
 public:
  HostPages(std::size_t bytes, HostMemory kind);
  ~HostPages();
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() { return {data_, bytes_}; }
  [[nodiscard]] HostMemory kind() const { return kind_; }

 private:
  [[nodiscard]] bool lock_huge_pages();

  std::size_t bytes_;
  HostMemory kind_;
  PlainArray<std::byte> huge_;  // locked memory, if not empty
  std::byte* data_ = nullptr;
};

// Page-locked memory of ended streams, kept for the next one. Any thread.
class KeptPages {
 public:
  void keep(std::size_t most_bytes);
  [[nodiscard]] std::unique_ptr<HostPages> take(std::size_t bytes, HostMemory kind);
  void give(std::unique_ptr<HostPages> pages);

 private:
  std::mutex mutex_;
  // Under mutex_.
  std::size_t most_bytes_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<HostPages>> pages_;
};

class HostBlock final : public HostMemoryBlock {
 public:
  HostBlock(std::size_t bytes, HostMemory kind, std::shared_ptr<MappedRanges> mapped,
            std::shared_ptr<KeptPages> kept = nullptr);
  ~HostBlock() override;
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  std::span<std::byte> bytes() override { return pages_->bytes(); }
  [[nodiscard]] HostMemory kind() const override { return kind_; }

 private:
  std::unique_ptr<HostPages> pages_;
  HostMemory kind_;
  std::shared_ptr<MappedRanges> mapped_;
  std::shared_ptr<KeptPages> kept_;  // null: pages are freed
};

// Returns nullptr if the pages cannot be locked.
std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device);

}  // namespace echoloop::cuda

namespace echoloop::cuda {

// Decides if the kernels of consecutive frames overlap, each lane's on a stream of its own, or run in order on the
// processing stream, and how many frames a launch processes. Kernels that take about as long as the copies to the
// device and run in order sometimes fall behind, which costs 10 %: to be avoided from 90 % of the copies' time on.
// Several frames per launch need less time each; if still too long, launches overlap, which fills their gaps and tails
// but slows the copies by some percent. The first launches of a plan therefore run in order and are measured, with the
// frames that are combined in any case, then with as many as possible; some of every thousand again. The majority
// decides, as a pause of the host lengthens single ones. Processing thread only.

class FrameOverlap {
 public:
  enum class Bound { copies, kernels };  // the slower of both
  // Measured launches run in order and must be reported to measured(): with few frames (Bound::copies) or many
  // (Bound::kernels).
  enum class Turn { in_order, measured_few, measured_many, side_by_side };

  // Announces the plan of the next frames; compared by owner, as a new plan can have the address of a former one.
  void begin(const std::shared_ptr<const void>& plan) {
    if (!plan_.owner_before(plan) && !plan.owner_before(plan_)) return;
    *this = {};
    plan_ = plan;
  }

  // Returns the turn of the launch that starts now.
  [[nodiscard]] Turn next() {
    const Turn turn = turn_at(started_ % kPeriod);
    if (started_++ % kPeriod == 0) few_ = many_ = {};
    return turn;
  }
  // Returns the bound of the next launch.
  [[nodiscard]] Bound bound() const {
    return started_ % kPeriod >= kFew && few_.is_longer() ? Bound::kernels : Bound::copies;
  }

  // Reports the times of the bus and the kernels for a launch of this turn.
  void measured(Turn turn, std::int64_t copy_ns, std::int64_t work_ns) {
    Measure& measure = turn == Turn::measured_few ? few_ : many_;
    ++measure.launches;
    measure.longer += work_ns > copy_ns - copy_ns / 10 ? 1 : 0;
  }

 private:
  struct Measure {
    int launches = 0;
    int longer = 0;  // kernels at 90 % of the copies' time or more
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
  static constexpr std::uint64_t kFew = 16;      // end of the measurements with few frames
  static constexpr std::uint64_t kMany = 32;     // and with many

  std::weak_ptr<const void> plan_;
  std::uint64_t started_ = 0;  // launches
  Measure few_, many_;
};

// Maps the device's events to the clock of now_ns(). An anchor is an event of known host time, renewed about once a
// second, because an elapsed time is a float and the two clocks drift apart. Processing thread only.

class GpuClock {
 public:
  // `idle`: a stream without long work, whose events pass at once. Waits for it a few times.
  explicit GpuClock(StreamView idle);

  // Sets a new anchor once a second, waiting at most 50 us; otherwise returns at once. Call before recording.
  void refresh();

  // Event of known host time.
  struct Anchor {
    Event event{EventUse::time};
    std::int64_t ns = 0;
    // Returns the host time of a passed event.
    [[nodiscard]] std::int64_t to_ns(const Event& later) const;
  };

  // Returns the last anchor before `first`. All times of a frame use one anchor, so that they keep their order.
  [[nodiscard]] const Anchor& anchor_before(const Event& first) const;

 private:
  StreamView idle_;
  std::array<Anchor, 3> anchors_;
  std::size_t newest_ = 0;    // index in anchors_
  std::size_t previous_ = 0;  // for events older than the newest anchor
  std::int64_t tried_ns_ = 0;
};

// Long work of the processing thread that need not be completed, see Backend::begin_work() and abandon(). Other
// threads' work on the same device is completed.
class SkippableWork {
 public:
  void begin() {
    superseded_ = skipped_ = false;
    worker_ = std::this_thread::get_id();
  }
  [[nodiscard]] bool end() {
    worker_ = std::thread::id{};
    return !skipped_;
  }
  void supersede() { superseded_ = true; }  // any thread
  void abandon() { abandoned_ = true; }     // until resume(); any thread
  void resume() { abandoned_ = false; }     // any thread
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  // Returns true if the calling thread shall skip the rest. [any thread]
  [[nodiscard]] bool skip() {
    if (abandoned_) return true;
    if (!superseded_ || worker_.load() != std::this_thread::get_id()) return false;
    return skipped_ = true;
  }

 private:
  std::atomic<bool> superseded_{false}, skipped_{false}, abandoned_{false};
  std::atomic<std::thread::id> worker_{};
};

struct Context {
  // The device must be the calling thread's current one.
  Context(int device_index, std::string device_name) : device(device_index), name(std::move(device_name)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Sets the calling thread's current device. Throws if the device is lost, without a call to it. [any thread]
  void make_current() const {
    if (device_lost()) throw CudaError(loss_text());
    CUDA_CHECK(cudaSetDevice(device));
  }

  // Waits for the queued work, in destructors, unless the device is lost. [any thread]
  void finish(StreamView stream) const noexcept {
    if (device_lost()) return;
    CUDA_QUIET(cudaSetDevice(device));
    stream.synchronize_quietly();
  }

  int device;
  std::string name;
  Stream copy;
  Stream processing{StreamPriority::high};  // precedes flow images
  Stream images;
  FrameOverlap overlap;  // of the stream's lanes
  SkippableWork work;
  Stream background;  // tables and clock anchors
  GpuClock clock{background.view()};
  FftCache ffts{processing.view()};
  TableCache tables{background.view(), processing.view()};
  std::shared_ptr<MappedRanges> mapped = std::make_shared<MappedRanges>();
  std::shared_ptr<KeptPages> kept = std::make_shared<KeptPages>();
};

}  // namespace echoloop::cuda

namespace echoloop {

class AnalysisDevice;  // backend/backend.h

struct CudaDeviceRow {
  std::unique_ptr<AnalysisDevice> (*make)(const std::shared_ptr<cuda::Context>&);  // the context is the current one
};

}  // namespace echoloop
