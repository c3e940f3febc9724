// Ring with small slots, both ends controlled by the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/frame_ring.h"

namespace echoloop::testing {

// Returns host memory of its own, `bytes` long.
inline FrameMemory slot_memory(std::size_t bytes, HostMemory kind = HostMemory::pageable) {
  auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  const std::span<std::byte> all(*memory);
  return {.bytes = all, .owner = std::move(memory), .kind = kind};
}

inline std::vector<FrameMemory> slot_memories(int n, std::size_t bytes) {
  std::vector<FrameMemory> all;
  for (int i = 0; i < n; ++i) all.push_back(slot_memory(bytes));
  return all;
}

struct RingRig {
  using Outcome = FrameRing::WriteLease::Outcome;

  explicit RingRig(int slots, RingPolicy policy, const RingCounts& counts = {}, FrameKeeper* keeper = nullptr)
      : ring(slot_memories(slots, 8), policy, counts, keeper) {}

  // Publishes frame `number` if there is a slot for it.
  Outcome put(std::uint64_t number) {
    auto lease = ring.begin_write(number);
    const Outcome outcome = lease.outcome();
    if (outcome == Outcome::slot) lease.publish({.sequence = number}, lease.frame_memory().bytes);
    return outcome;
  }
  // Returns the sequence number of the next frame, processed at once; -1 if there is none.
  std::int64_t process() {
    auto lease = ring.begin_read(std::chrono::nanoseconds(0));
    if (!lease) return -1;
    const auto number = static_cast<std::int64_t>(lease->frame().stamp.sequence);
    lease->release();
    ring.count_processed();
    return number;
  }
  void expect(std::uint64_t produced, std::uint64_t processed, std::uint64_t dropped, std::uint64_t refused) const {
    const RingCounts c = ring.counts();
    EXPECT_EQ(c.produced, produced);
    EXPECT_EQ(c.processed, processed);
    EXPECT_EQ(c.dropped, dropped);
    EXPECT_EQ(c.refused, refused);
    EXPECT_EQ(c.produced, c.processed + c.dropped + c.refused + c.in_flight);
  }

  FrameRing ring;
};

}  // namespace echoloop::testing
