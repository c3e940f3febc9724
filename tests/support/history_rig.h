// History fed as by a ring: one slot, whose memory circulates. Frame n is filled with n.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>

#include "history/rf_history.h"
#include "support/ring_rig.h"
#include "support/waiting.h"

namespace echoloop::testing {

inline std::uint64_t number_in(std::span<const std::byte> samples) {
  std::uint64_t number = 0;
  std::memcpy(&number, samples.data(), sizeof number);
  return number;
}

struct HistoryRig {
  static constexpr std::size_t kFrameBytes = 1024;

  explicit HistoryRig(std::size_t budget) : budget_bytes(budget), history(budget) {}

  void begin(HostMemory kind = HostMemory::pageable, std::size_t frame_bytes = kFrameBytes) {
    slot = slot_memory(frame_bytes, kind);
    history.begin({.frame_bytes = frame_bytes,
                   .kind = kind,
                   .allocate =
                       [this, kind](std::size_t bytes) {
                         if (no_memory) return FrameMemory{};
                         allocated += bytes;
                         return slot_memory(bytes, kind);
                       },
                   .lend = nullptr,
                   .acquisition = acquisition});
  }
  // Fills frame `next` and offers its memory.
  void put() {
    std::memcpy(slot.bytes.data(), &next, sizeof next);
    const FrameStamp stamp{
        .sequence = next, .source_index = next, .acquired_ns = static_cast<std::int64_t>(next) * 1000};
    slot = history.offer({.stamp = stamp, .samples = slot.bytes}, std::move(slot));
    ++next;
  }
  // Puts frames, at a pace that the growing memory can follow, until no more memory is due and the oldest have gone.
  void fill() {
    std::size_t frames = 0, same = 0;
    wait_until([&] {
      put();
      const HistoryExtent extent = history.extent();
      const std::size_t piece = std::max(budget_bytes / 8, slot.bytes.size());
      const bool grows = !no_memory && extent.bytes + piece <= budget_bytes;
      same = !grows && extent.frames == frames && frames > 0 ? same + 1 : 0;
      frames = extent.frames;
      return same == 100;
    });
  }
  // Checks that the contents are complete, without gaps, and end with the last frame.
  void expect_the_last_frames() const {
    const std::vector<FrameStamp> stamps = history.stamps();
    ASSERT_EQ(stamps.size(), history.extent().frames);
    for (std::size_t i = 0; i < stamps.size(); ++i) {
      EXPECT_EQ(stamps[i].sequence, next - stamps.size() + i);
      const auto kept = history.at(i);
      ASSERT_TRUE(kept.has_value());
      EXPECT_EQ(kept->frame.stamp.sequence, stamps[i].sequence);
      EXPECT_EQ(number_in(kept->frame.samples), stamps[i].sequence);
    }
  }

  // Checks that frames are complete and in order, with possible gaps.
  void expect_the_frames() const {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < history.extent().frames; ++i) {
      const auto kept = history.at(i);
      ASSERT_TRUE(kept.has_value());
      EXPECT_EQ(number_in(kept->frame.samples), kept->frame.stamp.sequence);
      EXPECT_TRUE(i == 0 || kept->frame.stamp.sequence > last);
      last = kept->frame.stamp.sequence;
    }
  }

  std::size_t budget_bytes;
  AcquisitionPtr acquisition;
  FrameMemory slot;
  std::uint64_t next = 0;
  std::atomic<std::size_t> allocated{0};
  std::atomic<bool> no_memory{false};
  RfHistory history;  // last: its thread calls the others
};

}  // namespace echoloop::testing
