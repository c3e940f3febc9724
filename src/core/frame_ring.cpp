#include "core/frame_ring.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

using Outcome = FrameRing::WriteLease::Outcome;

FrameRing::WriteLease::WriteLease(WriteLease&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)), outcome_(other.outcome_), slot_(other.slot_) {}

FrameRing::WriteLease::~WriteLease() {
  if (ring_ != nullptr && outcome_ == Outcome::slot) ring_->abandon_write(slot_);
}

std::span<std::byte> FrameRing::WriteLease::memory() const { return ring_->slots_[slot_].memory; }

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

FrameRing::FrameRing(std::vector<std::span<std::byte>> slots, RingPolicy policy, const RingCounts& counts)
    : ready_(slots.size()), policy_(policy), counts_(counts) {
  for (const std::span<std::byte> memory : slots)
    slots_.push_back({.memory = memory, .frame = {}, .state = State::free});
  counts_.slots = static_cast<int>(slots_.size());
  counts_.slots_ready = counts_.slots_reading = counts_.slots_writing = 0;
  counts_.dropped += std::exchange(counts_.in_flight, 0);
}

std::optional<std::size_t> FrameRing::find_free() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state == State::free) return i;
  }
  return std::nullopt;
}

std::size_t FrameRing::pop_oldest() {
  const std::size_t slot = ready_[ready_head_];
  ready_head_ = (ready_head_ + 1) % ready_.size();
  --ready_count_;
  --counts_.slots_ready;
  return slot;
}

FrameRing::WriteLease FrameRing::claim(std::size_t slot) {
  slots_[slot].state = State::writing;
  ++counts_.slots_writing;
  return {this, Outcome::slot, slot};
}

FrameRing::WriteLease FrameRing::begin_write() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (closed_) return {this, Outcome::closed, 0};
    if (const auto free = find_free()) return claim(*free);
    switch (policy_) {
      case RingPolicy::block: {
        const std::int64_t begin = now_ns();
        freed_.wait(lock);
        counts_.producer_waited_ns += now_ns() - begin;
        break;
      }
      case RingPolicy::error:
        ++counts_.produced;
        ++counts_.refused;
        return {this, Outcome::refused, 0};
      case RingPolicy::drop_oldest:
        if (ready_count_ > 0) {
          ++counts_.dropped;
          --counts_.in_flight;
          return claim(pop_oldest());
        }
        [[fallthrough]];
      case RingPolicy::drop_newest:
        ++counts_.produced;
        ++counts_.dropped;
        return {this, Outcome::dropped, 0};
    }
  }
}

void FrameRing::publish(std::size_t slot, FrameStamp stamp, std::span<const std::byte> samples) {
  {
    const std::scoped_lock lock(mutex_);
    stamp.acquired_ns = now_ns();
    slots_[slot].frame = {.stamp = stamp, .samples = samples};
    slots_[slot].state = State::ready;
    --counts_.slots_writing;
    ++counts_.slots_ready;
    ++counts_.produced;
    ++counts_.in_flight;
    ready_[(ready_head_ + ready_count_) % ready_.size()] = slot;
    ++ready_count_;
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
  if (ready_count_ == 0 && !closed_ && wait.count() > 0) {
    readied_.wait_for(lock, wait, [this] { return ready_count_ > 0 || closed_; });
  }
  if (ready_count_ == 0) return std::nullopt;
  const std::size_t slot = pop_oldest();
  slots_[slot].state = State::reading;
  ++counts_.slots_reading;
  const std::uint64_t sequence = slots_[slot].frame.stamp.sequence;
  if (any_read_ && sequence > last_sequence_ + 1) counts_.sequence_gaps += sequence - last_sequence_ - 1;
  any_read_ = true;
  last_sequence_ = sequence;
  return ReadLease(this, slot);
}

void FrameRing::finish_read(std::size_t slot) {
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

void FrameRing::set_policy(RingPolicy policy) {
  {
    const std::scoped_lock lock(mutex_);
    policy_ = policy;
  }
  freed_.notify_all();
}

RingPolicy FrameRing::policy() const {
  const std::scoped_lock lock(mutex_);
  return policy_;
}

void FrameRing::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  freed_.notify_all();
  readied_.notify_all();
}

bool FrameRing::drained() const {
  const std::scoped_lock lock(mutex_);
  return closed_ && ready_count_ == 0;
}

RingCounts FrameRing::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace echoloop
