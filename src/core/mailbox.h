// Latest value from one writer thread to one reader thread: three slots and one atomic word (a triple buffer).
// Neither side ever waits or allocates; values that the reader did not take in time are overwritten.
// Why not a lock: the UI thread and the processing thread must not stall each other.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"

namespace echoloop {

template <class T>
class Mailbox {
 public:
  // The slot to fill before publish(); keeps what was left in it. [writer thread]
  T& back() { return slots_[back_]; }

  // Makes back() the latest value and gives the writer another slot. [writer thread]
  void publish() { back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kIndex; }

  // Whether take() would bring a new value. [any thread]
  [[nodiscard]] bool has_news() const { return (middle_.load(std::memory_order_relaxed) & kFresh) != 0; }

  // Moves the latest value to front(); false when nothing new has come since the last call. [reader thread]
  bool take() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    return true;
  }

  // Forgets all values. Neither thread may be using the mailbox.
  void reset() {
    slots_ = {};
    middle_.store(middle_.load() & kIndex);
  }

  T& front() { return slots_[front_]; }              // [reader thread]
  const T& front() const { return slots_[front_]; }  // [reader thread]

 private:
  static constexpr std::uint8_t kFresh = 4;
  static constexpr std::uint8_t kIndex = 3;
  std::array<T, 3> slots_{};
  std::uint8_t back_ = 0;
  std::uint8_t front_ = 1;
  std::atomic<std::uint8_t> middle_{2};
};

// Columns of the M-mode line on their way from the processing thread to the window: of every image, in order, bit for
// bit what the image shows there. Bounded; neither side ever waits. Columns that find no room are counted, not sent.

// Which column of an image on this grid the line through `at` is.
[[nodiscard]] inline int line_column(const Grid& grid, PlanePoint at) {
  return std::clamp(static_cast<int>(std::lround(grid.place(at.x_m, at.z_m).column)), 0, std::max(grid.nx - 1, 0));
}

// What columns of one line have in common.
struct LineOrigin {
  Grid grid;       // of the images
  int column = 0;  // of that grid
  AcquisitionPtr acquisition;
  ImagingParams params;  // that made the images, with the level in use
};

struct LineColumn {
  FrameStamp stamp;
  std::shared_ptr<const LineOrigin> origin;
  std::vector<float> levels_db;  // [origin->grid.nz]
};

class LineQueue {
 public:
  static constexpr std::size_t kColumns = 1024;

  // False: there is no room. Allocates only until every slot has held a column of this length. [writer thread]
  bool push(const FrameStamp& stamp, const std::shared_ptr<const LineOrigin>& origin,
            std::span<const float> levels_db) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= kColumns) {
      late_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    LineColumn& slot = slots_[head % kColumns];
    slot.stamp = stamp;
    slot.origin = origin;
    slot.levels_db.assign(levels_db.begin(), levels_db.end());
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // take(LineColumn&) for each that has come, oldest first. It may swap the column's memory for memory of its own,
  // which then serves another column. [reader thread]
  template <class Take>
  void drain(Take&& take) {
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    for (; tail != head; ++tail) take(slots_[tail % kColumns]);
    tail_.store(tail, std::memory_order_release);
  }

  [[nodiscard]] std::uint64_t late() const { return late_.load(std::memory_order_relaxed); }  // any thread

 private:
  std::array<LineColumn, kColumns> slots_;
  std::atomic<std::uint64_t> head_{0}, tail_{0}, late_{0};
};

}  // namespace echoloop
