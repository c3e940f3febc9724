// Latest value from one writer thread to one reader thread: three slots and one atomic word (a triple buffer).
// Neither side ever waits or allocates; values that the reader did not take in time are overwritten.
// Why not a lock: the UI thread and the processing thread must not stall each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

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

}  // namespace echoloop
