// Fixed slots between one producer thread and one processing thread, and the policy when all are in use. Every frame is
// accounted for: at each snapshot produced = processed + dropped + refused + in flight, exactly. One short lock guards
// the book-keeping; samples are written and read outside it, and nothing allocates after construction.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/frame.h"
#include "core/stream_settings.h"

namespace echoloop {

class FrameRing {
 public:
  // Place for a source's frame. Without publish() the slot is returned unused and nothing is counted.
  class [[nodiscard]] WriteLease {
   public:
    enum class Outcome { slot, dropped, refused, closed };
    WriteLease(WriteLease&& other) noexcept;
    WriteLease& operator=(WriteLease&&) = delete;
    ~WriteLease();

    [[nodiscard]] Outcome outcome() const { return outcome_; }
    // Returns the slot's memory, for Outcome::slot; may be exchanged for other memory of the same size.
    [[nodiscard]] FrameMemory& frame_memory() const;
    // Makes the frame visible to the reader. `samples`: the slot's memory, or memory lent by the source that lives as
    // long as the stream. The time of publication becomes stamp.acquired_ns; with policy block it is not before the
    // keeper has room. [producer thread]
    void publish(FrameStamp stamp, std::span<const std::byte> samples);

   private:
    friend class FrameRing;
    WriteLease(FrameRing* ring, Outcome outcome, std::size_t slot) : ring_(ring), outcome_(outcome), slot_(slot) {}
    FrameRing* ring_;
    Outcome outcome_;
    std::size_t slot_;
  };

  // Frame being read; its slot is free again when the lease ends (after the copy to the device).
  class [[nodiscard]] ReadLease {
   public:
    ReadLease(ReadLease&& other) noexcept;
    ReadLease& operator=(ReadLease&& other) noexcept;
    ~ReadLease();
    [[nodiscard]] const RfFrame& frame() const;
    void release();  // [processing thread]

   private:
    friend class FrameRing;
    ReadLease(FrameRing* ring, std::size_t slot) : ring_(ring), slot_(slot) {}
    FrameRing* ring_;
    std::size_t slot_;
  };

  // Each slot is as long as a frame. `counts` continues an earlier ring's book-keeping; frames still in flight there
  // (its reader ended by a fault) are counted as dropped. `keeper` (may be null, must outlive the ring) is offered each
  // frame after reading.
  FrameRing(std::vector<FrameMemory> slots, RingPolicy policy, const RingCounts& counts = {},
            FrameKeeper* keeper = nullptr);

  // Returns a slot for the frame of this number. With no free slot: block waits; error refuses the frame; drop_oldest
  // reuses the oldest frame not being read (and drops the new one if there is none); drop_newest drops the new one.
  // error also refuses the frame if the keeper has no room. A dropped or refused frame is counted as produced. Missing
  // and repeated numbers are counted with each produced frame, whatever becomes of it; `gap` has those that the source
  // can explain (as the published stamp). [producer thread]
  WriteLease begin_write(std::uint64_t sequence, const FrameGap& gap = {});

  // Counts a frame released by the source as produced and dropped. [producer thread]
  void count_dropped(std::uint64_t sequence, const FrameGap& gap);

  // Returns the oldest frame; waits for one at most `wait`, or until wake(). [processing thread]
  std::optional<ReadLease> begin_read(std::chrono::nanoseconds wait);
  void wake();  // ends the reader's wait, or its next one; any thread
  // Returns true if begin_read() would not wait; lock-free. [any thread]
  [[nodiscard]] bool has_news() const { return news_.load(std::memory_order_acquire); }
  // Returns the number of frames ready for begin_read(); lock-free. [any thread]
  [[nodiscard]] std::size_t ready() const { return ready_seen_.load(std::memory_order_acquire); }

  void count_processed();  // a frame read became an image [processing thread]
  void count_lost();       // a frame read could not be processed: counted as dropped [processing thread]

  void set_policy(RingPolicy policy);       // takes effect at once, also for a waiting producer; any thread
  [[nodiscard]] RingPolicy policy() const;  // any thread
  void close();                             // ends all waiting; frames already published can still be read; any thread
  void drop_ready();                        // drops and counts frames not yet being read; any thread
  [[nodiscard]] bool drained() const;       // closed and nothing left to read; any thread
  [[nodiscard]] RingCounts counts() const;  // any thread
  [[nodiscard]] std::optional<RingRefusal> refusal() const;  // the last refused frame; any thread

 private:
  enum class State : unsigned char { free, writing, ready, reading };
  struct Slot {
    FrameMemory memory;
    RfFrame frame;
    State state = State::free;
  };

  void number_frame(std::uint64_t sequence, const FrameGap& known);
  [[nodiscard]] RingRefusal refuse(std::uint64_t sequence) const;
  [[nodiscard]] RingLoad load(std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t acquire(std::unique_lock<std::mutex>& lock);
  WriteLease claim(std::size_t slot);
  [[nodiscard]] std::optional<std::size_t> find_free() const;
  [[nodiscard]] std::size_t pop_oldest();
  void tell_news();
  void finish_read(std::size_t slot);
  void abandon_write(std::size_t slot);
  void publish(std::size_t slot, FrameStamp stamp, std::span<const std::byte> samples);

  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::condition_variable readied_;
  FrameKeeper* keeper_;
  std::atomic<bool> news_{false};           // the reader has work; written under mutex_
  std::atomic<std::size_t> ready_seen_{0};  // ready_count_; written under mutex_
  // All below under mutex_.
  std::vector<Slot> slots_;
  std::vector<std::size_t> ready_;  // slot numbers, oldest first; circular, slots_.size() entries
  std::size_t ready_head_ = 0;
  std::size_t ready_count_ = 0;
  RingPolicy policy_;
  RingCounts counts_;
  std::int64_t waiting_since_ns_ = 0;  // start of the producer's wait; 0 = not waiting
  std::optional<RingRefusal> refusal_;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace echoloop
