// Latest value from one writer thread to one reader thread: three slots and one atomic word (a triple buffer). Neither
// side ever waits or allocates, so that UI and processing thread do not stall each other; values not read in time are
// overwritten.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"

namespace echoloop {

template <class T>
class Mailbox {
 public:
  // Returns the slot to fill before publish(), with its previous contents. [writer thread]
  T& back() { return slots_[back_]; }

  // Makes back() the latest value and gives the writer another slot. [writer thread]
  void publish() {
    if (observer_) observer_(slots_[back_]);
    back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }

  // Calls `each` with every value before it is published, on the writer thread. Neither thread may use the mailbox
  // meanwhile.
  void observe(std::function<void(const T&)> each) { observer_ = std::move(each); }

  // Returns true if take() would deliver a new value. [any thread]
  [[nodiscard]] bool has_news() const { return (middle_.load(std::memory_order_relaxed) & kFresh) != 0; }

  // Moves the latest value to front(); returns false if there is no new one. [reader thread]
  bool take() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    return true;
  }

  // Clears all values. Neither thread may use the mailbox meanwhile.
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
  std::function<void(const T&)> observer_;
  std::uint8_t back_ = 0;
  std::uint8_t front_ = 1;
  std::atomic<std::uint8_t> middle_{2};
};

// Columns of the M-mode line from the processing thread to the window: of every image, in order, bit-identical to the
// image. Bounded; neither side ever waits. Columns without room are counted and dropped.

// Returns the column of the line through `at` in an image on this grid.
[[nodiscard]] inline int line_column(const Grid& grid, PlanePoint at) {
  return std::clamp(static_cast<int>(std::lround(grid.place(at.x_m, at.z_m).column)), 0, std::max(grid.nx - 1, 0));
}

// Common data of the columns of one line.
struct LineOrigin {
  Grid grid;       // of the images
  int column = 0;  // of that grid
  AcquisitionPtr acquisition;
  ImagingParams params;  // of the images, with the level in use
};

struct LineColumn {
  FrameStamp stamp;
  std::shared_ptr<const LineOrigin> origin;
  std::vector<float> levels_db;  // [origin->grid.nz]
};

class LineQueue {
 public:
  static constexpr std::size_t kColumns = 1024;

  // Returns false without room. Allocates only until every slot has held a column of this length. [writer thread]
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

  // Calls take(LineColumn&) for each new column, oldest first. It may swap the column's memory for memory of its own,
  // which is then reused. [reader thread]
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
