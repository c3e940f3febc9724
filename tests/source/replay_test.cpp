// A recording as a source: frames in a circle, lent where they lie.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "source/source.h"

namespace echoloop::replay_test {
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

// Writes its number all over a frame; memory of its own it exchanges.
class NumberWriter final : public FrameStream {
 public:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    FrameMemory other = slot.owner != nullptr ? allocate(slot.bytes.size()) : FrameMemory{};
    if (slot.owner != nullptr) std::swap(slot, other);
    std::fill(slot.bytes.begin(), slot.bytes.end(), static_cast<std::byte>(index));
    return slot.bytes;
  }
  FrameMemory allocate(std::size_t bytes) override {
    const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
    return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
  }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override { ahead = allocate(7); }
  FrameMemory ahead;
};

TEST(Replay, LendsTheRecordingsFramesInACircle) {
  Recording recording = three_frames();
  const std::byte* const first = recording.memory.data();
  const auto replay = make_replay(std::move(recording));
  EXPECT_EQ(replay->name(), "three.npz");
  EXPECT_EQ(replay->frame_count(), 3U);
  EXPECT_EQ(replay->zero_copy_memory().data(), first);
  EXPECT_EQ(replay->zero_copy_memory().size(), 48U);
  for (const std::uint64_t index : {0U, 1U, 2U, 3U, 7U}) {
    const auto frame = replay->at(index, {});
    EXPECT_EQ(frame.data(), first + 16 * (index % 3));
    EXPECT_EQ(frame.size(), replay->acquisition()->frame_bytes());
  }
}

TEST(Replay, ARecordingThatCannotLendIsReadIntoTheSlot) {
  Recording recording = three_frames();
  recording.frame = nullptr;
  recording.memory = {};
  recording.reader = std::make_shared<NumberWriter>();
  const auto replay = make_replay(std::move(recording));
  EXPECT_FALSE(replay->zero_copy());
  EXPECT_TRUE(replay->zero_copy_memory().empty());
  std::vector<std::byte> slot(replay->acquisition()->frame_bytes());
  const auto frame = replay->at(5, slot);
  EXPECT_EQ(frame.data(), slot.data());
  EXPECT_EQ(slot, std::vector<std::byte>(slot.size(), std::byte{2}));
}

TEST(Replay, ARecordingThatCannotLendMayExchangeTheSlotsMemory) {
  Recording recording = three_frames();
  recording.frame = nullptr;
  recording.memory = {};
  const auto reader = std::make_shared<NumberWriter>();
  recording.reader = reader;
  const auto replay = make_replay(std::move(recording));
  const std::size_t bytes = replay->acquisition()->frame_bytes();
  FrameMemory slot = replay->allocate(bytes);
  ASSERT_EQ(slot.bytes.size(), bytes);
  const FrameMemory before = slot;
  const auto frame = replay->at(4, slot);
  EXPECT_NE(slot.bytes.data(), before.bytes.data());
  EXPECT_EQ(frame.data(), slot.bytes.data());
  EXPECT_EQ(frame.size(), bytes);
  EXPECT_TRUE(std::all_of(frame.begin(), frame.end(), [](std::byte b) { return b == std::byte{1}; }));
  replay->read_ahead_in([&](std::size_t n) { return replay->allocate(n); });
  EXPECT_EQ(reader->ahead.bytes.size(), 7U);
}

TEST(Replay, WhoLendsNeedsNoMemoryOfItsOwn) {
  const auto replay = make_replay(three_frames());
  EXPECT_TRUE(replay->allocate(100).bytes.empty());
  FrameMemory slot;
  EXPECT_EQ(replay->at(1, slot).data(), replay->zero_copy_memory().data() + 16);
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
  EXPECT_THROW(replay->at(0, {}), Error);
}

}  // namespace
}  // namespace echoloop::replay_test
