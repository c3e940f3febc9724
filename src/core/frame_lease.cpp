// The leases of the ring: a slot that is being written, or read, goes back when its lease ends.
#include <utility>

#include "core/frame_ring.h"

namespace echoloop {

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
