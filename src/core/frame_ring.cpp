#include "core/frame_ring.h"

#include <algorithm>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::chrono::milliseconds kKeeperPoll{1};

}  // namespace

using Outcome = FrameRing::WriteLease::Outcome;

FrameRing::FrameRing(std::vector<FrameMemory> slots, RingPolicy policy, const RingCounts& counts, FrameKeeper* keeper)
    : keeper_(keeper), ready_(slots.size()), policy_(policy), counts_(counts) {
  for (FrameMemory& memory : slots) slots_.push_back({.memory = std::move(memory), .frame = {}, .state = State::free});
  counts_.slots = static_cast<int>(slots_.size());
  counts_.slots_ready = counts_.slots_reading = counts_.slots_writing = counts_.slots_peak = 0;
  counts_.dropped += std::exchange(counts_.in_flight, 0);
}

std::optional<std::size_t> FrameRing::find_free() const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].state == State::free) return i;
  return std::nullopt;
}

std::size_t FrameRing::pop_oldest() {
  const std::size_t slot = ready_[ready_head_];
  ready_head_ = (ready_head_ + 1) % ready_.size();
  --ready_count_;
  --counts_.slots_ready;
  tell_news();
  return slot;
}

// Updates the reader's flags after every change. Under mutex_.
void FrameRing::tell_news() {
  ready_seen_.store(ready_count_, std::memory_order_release);
  news_.store(ready_count_ > 0 || closed_ || woken_, std::memory_order_release);
}

void FrameRing::number_frame(std::uint64_t sequence, const FrameGap& known) {
  const bool first = counts_.produced == 0;  // a source may start at any number
  if (first) counts_.first_sequence = counts_.next_sequence = sequence;
  if (is_before(sequence, counts_.next_sequence)) {
    ++counts_.duplicates;
    return;
  }
  const std::uint64_t left_out = sequence - counts_.next_sequence;
  const std::uint64_t lost = std::min(known.lost, left_out);
  counts_.sequence_gaps += left_out;
  counts_.lost_at_sender += lost;
  counts_.stale += std::min(known.stale, left_out - lost);
  counts_.next_sequence = sequence + 1;
}

// Describes the slot that blocks the refused frame: the oldest frame in use.
RingRefusal FrameRing::refuse(std::uint64_t sequence) const {
  RingRefusal refusal;
  refusal.sequence = sequence;
  std::int64_t oldest_ns = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const FrameStamp& stamp = slot.frame.stamp;
    if (slot.state == State::writing || (oldest_ns != 0 && stamp.acquired_ns >= oldest_ns)) continue;
    oldest_ns = stamp.acquired_ns;
    refusal.slot = static_cast<int>(i);
    refusal.copying = slot.state == State::reading;
    refusal.holds = stamp.sequence;
    refusal.age_ns = now_ns() - stamp.acquired_ns;
  }
  refusal.counts = counts_;
  return refusal;
}

FrameRing::WriteLease FrameRing::claim(std::size_t slot) {
  slots_[slot].state = State::writing;
  ++counts_.slots_writing;
  const int in_use = counts_.slots_writing + counts_.slots_ready + counts_.slots_reading;
  counts_.slots_peak = std::max(counts_.slots_peak, in_use);
  return {this, Outcome::slot, slot};
}

FrameRing::WriteLease FrameRing::begin_write(std::uint64_t sequence, const FrameGap& gap) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (closed_) return {this, Outcome::closed, 0};
    const bool keeper_full = policy_ == RingPolicy::error && keeper_ != nullptr && !keeper_->ready(load(now_ns()));
    const auto free = keeper_full ? std::nullopt : find_free();
    if (free.has_value()) return claim(*free);
    switch (policy_) {
      case RingPolicy::block:
        waiting_since_ns_ = now_ns();
        freed_.wait(lock);
        counts_.producer_waited_ns += now_ns() - std::exchange(waiting_since_ns_, 0);
        break;
      case RingPolicy::error:
        number_frame(sequence, gap);
        ++counts_.produced;
        ++counts_.refused;
        refusal_ = refuse(sequence);
        refusal_->keeper_full = keeper_full;
        return {this, Outcome::refused, 0};
      case RingPolicy::drop_oldest:
        if (ready_count_ > 0) {
          ++counts_.dropped;
          --counts_.in_flight;
          return claim(pop_oldest());
        }
        [[fallthrough]];
      case RingPolicy::drop_newest:
        number_frame(sequence, gap);
        ++counts_.produced;
        ++counts_.dropped;
        return {this, Outcome::dropped, 0};
    }
  }
}

void FrameRing::count_dropped(std::uint64_t sequence, const FrameGap& gap) {
  const std::scoped_lock lock(mutex_);
  number_frame(sequence, gap);
  ++counts_.produced;
  ++counts_.dropped;
}

// Under mutex_.
RingLoad FrameRing::load(std::int64_t now_ns) const {
  RingLoad load{.now_ns = now_ns};
  for (const Slot& slot : slots_) {
    if (slot.state != State::ready && slot.state != State::reading) continue;
    const std::int64_t acquired_ns = slot.frame.stamp.acquired_ns;
    load.oldest_ns = load.frames == 0 ? acquired_ns : std::min(load.oldest_ns, acquired_ns);
    ++load.frames;
  }
  return load;
}

// Returns the acquisition time of a frame. Under mutex_, which it unlocks while it waits.
std::int64_t FrameRing::acquire(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const std::int64_t now = now_ns();
    if (closed_ || policy_ != RingPolicy::block || keeper_ == nullptr || keeper_->ready(load(now))) return now;
    waiting_since_ns_ = now;
    freed_.wait_for(lock, kKeeperPoll);  // free room has no signal
    counts_.producer_waited_ns += now_ns() - std::exchange(waiting_since_ns_, 0);
  }
}

void FrameRing::publish(std::size_t slot, FrameStamp stamp, std::span<const std::byte> samples) {
  {
    std::unique_lock lock(mutex_);
    stamp.acquired_ns = acquire(lock);
    slots_[slot].frame = {.stamp = stamp, .samples = samples};
    slots_[slot].state = State::ready;
    number_frame(stamp.sequence, stamp.gap);
    --counts_.slots_writing;
    ++counts_.slots_ready;
    ++counts_.produced;
    ++counts_.in_flight;
    ready_[(ready_head_ + ready_count_) % ready_.size()] = slot;
    ++ready_count_;
    tell_news();
  }
  readied_.notify_one();
}

void FrameRing::abandon_write(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  slots_[slot].state = State::free;
  --counts_.slots_writing;
}

std::optional<FrameRing::ReadLease> FrameRing::begin_read(std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  if (ready_count_ == 0 && !closed_ && wait.count() > 0)
    readied_.wait_for(lock, wait, [this] { return ready_count_ > 0 || closed_ || woken_; });
  woken_ = false;
  tell_news();
  if (ready_count_ == 0) return std::nullopt;
  const std::size_t slot = pop_oldest();
  slots_[slot].state = State::reading;
  ++counts_.slots_reading;
  return ReadLease(this, slot);
}

void FrameRing::wake() {
  {
    const std::scoped_lock lock(mutex_);
    woken_ = true;
    tell_news();
  }
  readied_.notify_one();
}

void FrameRing::finish_read(std::size_t slot) {
  // The keeper is called outside the lock: no other thread accesses a slot being read.
  if (keeper_ != nullptr) {
    Slot& read = slots_[slot];
    read.memory = keeper_->offer(read.frame, std::move(read.memory));
  }
  {
    const std::scoped_lock lock(mutex_);
    slots_[slot].state = State::free;
    --counts_.slots_reading;
    ++counts_.copied;
  }
  freed_.notify_one();
}

void FrameRing::count_processed() {
  const std::scoped_lock lock(mutex_);
  ++counts_.processed;
  --counts_.in_flight;
}

void FrameRing::count_lost() {
  const std::scoped_lock lock(mutex_);
  ++counts_.dropped;
  --counts_.in_flight;
}

RingPolicy FrameRing::policy() const {
  const std::scoped_lock lock(mutex_);
  return policy_;
}

void FrameRing::set_policy(RingPolicy policy) {
  {
    const std::scoped_lock lock(mutex_);
    policy_ = policy;
  }
  freed_.notify_all();
}

void FrameRing::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    tell_news();
  }
  freed_.notify_all();
  readied_.notify_all();
}

void FrameRing::drop_ready() {
  {
    const std::scoped_lock lock(mutex_);
    while (ready_count_ > 0) {
      slots_[pop_oldest()].state = State::free;
      ++counts_.dropped;
      --counts_.in_flight;
    }
    tell_news();
  }
  freed_.notify_all();
}

bool FrameRing::drained() const {
  const std::scoped_lock lock(mutex_);
  return closed_ && ready_count_ == 0;
}

RingCounts FrameRing::counts() const {
  const std::scoped_lock lock(mutex_);
  RingCounts counts = counts_;
  if (waiting_since_ns_ != 0) counts.producer_waited_ns += now_ns() - waiting_since_ns_;
  return counts;
}

std::optional<RingRefusal> FrameRing::refusal() const {
  const std::scoped_lock lock(mutex_);
  return refusal_;
}

// Leases of the ring: a slot is returned when its write or read lease ends.

FrameRing::WriteLease::WriteLease(WriteLease&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)), outcome_(other.outcome_), slot_(other.slot_) {}

FrameRing::WriteLease::~WriteLease() {
  if (ring_ != nullptr && outcome_ == Outcome::slot) ring_->abandon_write(slot_);
}

FrameMemory& FrameRing::WriteLease::frame_memory() const { return ring_->slots_[slot_].memory; }

void FrameRing::WriteLease::publish(FrameStamp stamp, std::span<const std::byte> samples) {
  std::exchange(ring_, nullptr)->publish(slot_, stamp, samples);
}

FrameRing::ReadLease::ReadLease(ReadLease&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)), slot_(other.slot_) {}

FrameRing::ReadLease& FrameRing::ReadLease::operator=(ReadLease&& other) noexcept {
  if (this != &other) {
    release();
    ring_ = std::exchange(other.ring_, nullptr);
    slot_ = other.slot_;
  }
  return *this;
}

FrameRing::ReadLease::~ReadLease() { release(); }

const RfFrame& FrameRing::ReadLease::frame() const { return ring_->slots_[slot_].frame; }

void FrameRing::ReadLease::release() {
  if (ring_ != nullptr) std::exchange(ring_, nullptr)->finish_read(slot_);
}

}  // namespace echoloop
