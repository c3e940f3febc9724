// Fixed slots between one producer thread and one processing thread, and the policy for the moment when all are taken.
// Every frame is accounted for: at each snapshot produced = processed + dropped + refused + in flight, exactly.
// One short lock guards the book-keeping; samples are written and read outside it, and nothing allocates after
// construction.
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
  // Where a source may put a frame. Without publish() the slot goes back unused and nothing is counted.
  class [[nodiscard]] WriteLease {
   public:
    enum class Outcome { slot, dropped, refused, closed };
    WriteLease(WriteLease&& other) noexcept;
    WriteLease& operator=(WriteLease&&) = delete;
    ~WriteLease();

    [[nodiscard]] Outcome outcome() const { return outcome_; }
    // Outcome::slot only; other memory of the same size may take its place.
    [[nodiscard]] FrameMemory& frame_memory() const;
    // Makes the frame visible to the reader. `samples`: the slot's memory, or memory lent by the source that lives as
    // long as the stream. The moment of publication becomes stamp.acquired_ns; with policy block it does not come
    // before the keeper has room. [producer thread]
    void publish(FrameStamp stamp, std::span<const std::byte> samples);

   private:
    friend class FrameRing;
    WriteLease(FrameRing* ring, Outcome outcome, std::size_t slot) : ring_(ring), outcome_(outcome), slot_(slot) {}
    FrameRing* ring_;
    Outcome outcome_;
    std::size_t slot_;
  };

  // A frame being read; its slot is free again when the lease ends (after the copy to the device).
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

  // Each slot as long as a frame. `counts` continues an earlier ring's book-keeping; frames that were still in flight
  // there (its reader ended by a fault) are counted as dropped. `keeper` (may be null) is offered each frame that has
  // been read; it outlives the ring.
  FrameRing(std::vector<FrameMemory> slots, RingPolicy policy, const RingCounts& counts = {},
            FrameKeeper* keeper = nullptr);

  // A slot for the frame of this number. With no free slot: block waits; error refuses the frame; drop_oldest takes
  // back the oldest frame that is not being read (and drops the new one when there is none); drop_newest drops the new
  // one. error also refuses the frame when the keeper has no room. A dropped or refused frame is
  // counted as produced. Numbers left out and numbers that come again are counted with each frame that is produced,
  // whatever becomes of it; `gap` says which of them the source can account for (as the published stamp does).
  // [producer thread]
  WriteLease begin_write(std::uint64_t sequence, const FrameGap& gap = {});

  // A frame that the source has let go of: counted as produced and as dropped. [producer thread]
  void count_dropped(std::uint64_t sequence, const FrameGap& gap);

  // The oldest frame, waiting for one at most `wait`, or until wake(). [processing thread]
  std::optional<ReadLease> begin_read(std::chrono::nanoseconds wait);
  void wake();  // ends the reader's wait, or its next one; any thread
  // Whether begin_read() would not wait; takes no lock. [any thread]
  [[nodiscard]] bool has_news() const { return news_.load(std::memory_order_acquire); }
  // Frames that begin_read() would bring; takes no lock. [any thread]
  [[nodiscard]] std::size_t ready() const { return ready_seen_.load(std::memory_order_acquire); }

  void count_processed();  // a frame that was read became an image [processing thread]
  void count_lost();       // a frame that was read could not be processed: counted as dropped [processing thread]

  void set_policy(RingPolicy policy);       // takes effect at once, also for a waiting producer; any thread
  void close();                             // ends all waiting; frames already published can still be read; any thread
  void drop_ready();                        // what is not being read yet is dropped, and counted; any thread
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
  std::atomic<bool> news_{false};           // something for the reader; written under mutex_
  std::atomic<std::size_t> ready_seen_{0};  // ready_count_, likewise
  // All below under mutex_.
  std::vector<Slot> slots_;
  std::vector<std::size_t> ready_;  // slot numbers, oldest first; a circle of slots_.size() entries
  std::size_t ready_head_ = 0;
  std::size_t ready_count_ = 0;
  RingPolicy policy_;
  RingCounts counts_;
  std::int64_t waiting_since_ns_ = 0;  // the producer waits; 0 = it does not
  std::optional<RingRefusal> refusal_;
  bool woken_ = false;
  bool closed_ = false;
};

}  // namespace echoloop
