// A recording as a source: frames in a circle, lent where they lie.
#include "source/replay.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"

namespace echoloop {
namespace {

Recording three_frames() {
  Acquisition a;
  a.probe = make_linear_probe("test", 2, 0.3e-3);
  a.transmits.resize(1);
  a.n_samples = 4;
  a.sample_type = SampleType::int16;
  a.sampling_hz = 20e6;
  a.center_hz = 5e6;
  const std::size_t bytes = a.frame_bytes();
  auto memory = std::make_shared<std::vector<std::byte>>(3 * bytes);
  Recording recording;
  recording.acquisition = std::make_shared<const Acquisition>(a);
  recording.frame_count = 3;
  recording.name = "three.npz";
  recording.memory = *memory;
  recording.frame = [data = std::span<const std::byte>(*memory), bytes](std::uint64_t index) {
    return data.subspan(static_cast<std::size_t>(index) * bytes, bytes);
  };
  recording.owner = std::move(memory);
  return recording;
}

TEST(Replay, LendsTheRecordingsFramesInACircle) {
  Recording recording = three_frames();
  const std::byte* const first = recording.memory.data();
  const auto replay = make_replay(std::move(recording));
  EXPECT_EQ(replay->name(), "three.npz");
  EXPECT_EQ(replay->frame_count(), 3U);
  EXPECT_EQ(replay->lendable_memory().data(), first);
  EXPECT_EQ(replay->lendable_memory().size(), 48U);
  for (const std::uint64_t index : {0U, 1U, 2U, 3U, 7U}) {
    const auto frame = replay->produce(index, {});
    EXPECT_EQ(frame.data(), first + 16 * (index % 3));
    EXPECT_EQ(frame.size(), replay->acquisition()->frame_bytes());
  }
}

TEST(Replay, ARecordingThatCannotLendIsReadIntoTheSlot) {
  Recording recording = three_frames();
  recording.frame = nullptr;
  recording.memory = {};
  recording.read = [](std::uint64_t index, std::span<std::byte> out) {
    std::fill(out.begin(), out.end(), static_cast<std::byte>(index));
  };
  const auto replay = make_replay(std::move(recording));
  EXPECT_FALSE(replay->lends_frames());
  EXPECT_TRUE(replay->lendable_memory().empty());
  std::vector<std::byte> slot(replay->acquisition()->frame_bytes());
  const auto frame = replay->produce(5, slot);
  EXPECT_EQ(frame.data(), slot.data());
  EXPECT_EQ(slot, std::vector<std::byte>(slot.size(), std::byte{2}));
}

TEST(Replay, RefusesWhatHoldsNoFrames) {
  Recording empty = three_frames();
  empty.frame_count = 0;
  EXPECT_THROW(make_replay(std::move(empty)), Error);
  EXPECT_THROW(make_replay(Recording{}), Error);
}

TEST(Replay, RefusesAFrameOfTheWrongSize) {
  Recording shrunk = three_frames();
  shrunk.frame = [memory = shrunk.memory](std::uint64_t) { return memory.first(15); };
  const auto replay = make_replay(std::move(shrunk));
  EXPECT_THROW(replay->produce(0, {}), Error);
}

}  // namespace
}  // namespace echoloop
