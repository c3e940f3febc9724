// Frames that several threads read ahead into memory that changes places with a slot's.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "app/stream/session.h"
#include "support/lent_frames.h"
#include "support/one_line.h"

namespace echoloop::staged_frames_test {
namespace {

using testing::LentFrames;

constexpr std::uint64_t kFrames = LentFrames::kFrames;

FrameMemory memory_of(std::size_t bytes) {
  const auto memory = std::make_shared<PlainArray<std::byte>>(bytes);
  return {.bytes = {memory->begin(), memory->end()}, .owner = memory, .kind = HostMemory::pageable};
}

struct Rig {
  std::shared_ptr<LentFrames> source = std::make_shared<LentFrames>();
  std::array<std::atomic<int>, kFrames> reads{};
  StagedFrames frames{source, 3};
  FrameMemory slot = memory_of(source->bytes());
  std::set<const std::byte*> memory{slot.bytes.data()};  // of the slot, and what is read ahead into

  Rig() {
    source->on_read = [this](std::uint64_t index) { ++reads[index]; };
  }
  void begin() {
    frames.read_ahead_in([this](std::size_t bytes) {
      FrameMemory stage = memory_of(bytes);
      memory.insert(stage.bytes.data());
      return stage;
    });
  }
  void expect_frame(std::uint64_t index, const std::stop_token& stop = {}) {
    const std::span<const std::byte> samples = frames.at(index, slot, stop);
    EXPECT_EQ(samples.data(), slot.bytes.data());
    EXPECT_TRUE(memory.contains(samples.data())) << "not the source's own";
    const RfFrame frame{.stamp = {.sequence = index, .source_index = index % kFrames}, .samples = samples};
    EXPECT_TRUE(testing::is_whole(frame)) << index;
  }
};

TEST(StagedFrames, EachFrameIsReadOnceAndLiesInASlot) {
  Rig rig;
  rig.begin();
  for (std::uint64_t i = 0; i < kFrames; ++i) rig.expect_frame(i);
  for (const auto& reads : rig.reads) EXPECT_EQ(reads, 1);
  EXPECT_EQ(rig.memory.size(), 5U) << "the slot, and one more than threads";
}

TEST(StagedFrames, TimesOfARecordingAreItsOwn) {
  Rig rig;
  rig.begin();
  EXPECT_TRUE(testing::gives_recorded_times(rig.frames));
}

TEST(StagedFrames, FramesCanBeLeftOutAndComeAgain) {
  Rig rig;
  rig.begin();
  for (const std::uint64_t i : {0U, 1U, 1U, 3U, 4U, 20U, 22U, 23U, 24U, 2U, 48U, 49U, 50U, 51U, 149U, 7U}) {
    rig.expect_frame(i);
  }
}

TEST(StagedFrames, AFrameThatCannotBeReadIsAnErrorOfThatFrameAlone) {
  Rig rig;
  rig.source->on_read = [](std::uint64_t index) {
    if (index == 5) throw std::runtime_error("frame 5 is lost");
  };
  rig.begin();
  for (std::uint64_t i = 0; i < 5; ++i) rig.expect_frame(i);
  EXPECT_THROW((void)rig.frames.at(5, rig.slot), std::runtime_error);
  rig.expect_frame(6);
}

TEST(StagedFrames, WithoutMemoryFramesAreLent) {
  Rig rig;
  EXPECT_EQ(rig.frames.at(3, {}).data(), rig.source->memory().data() + 3 * rig.source->bytes());
  rig.begin();
  EXPECT_EQ(rig.frames.at(4, {}).data(), rig.source->memory().data() + 4 * rig.source->bytes());
}

TEST(StagedFrames, AWaitEndsWithTheStream) {
  Rig rig;
  std::atomic<bool> go{false};
  rig.source->on_read = [&go](std::uint64_t index) {
    if (index == 2) go.wait(false);
  };
  rig.begin();
  rig.expect_frame(0);
  rig.expect_frame(1);
  std::stop_source ended;
  std::jthread end([&ended] { ended.request_stop(); });
  testing::expect_refusal([&] { (void)rig.frames.at(2, rig.slot, ended.get_token()); },
                          "stopped while frame 2 was read");
  go = true;
  go.notify_all();
}

}  // namespace
}  // namespace echoloop::staged_frames_test
