// The last raw frames: within the budget, the oldest goes first, memory goes round and is never taken from anybody.
#include "history/rf_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "app/review/history_requests.h"
#include "core/stream_settings.h"
#include "support/acquisitions.h"
#include "support/history_rig.h"
#include "support/streaming.h"

namespace echoloop::rf_history_test {
namespace {

using Rig = testing::HistoryRig;
using testing::number_in;
constexpr std::size_t kFrame = Rig::kFrameBytes;

TEST(RfHistory, KeepsTheLastFramesWithinItsBudget) {
  Rig rig(60 * kFrame);
  rig.begin();
  rig.fill();
  const HistoryExtent extent = rig.history.extent();
  EXPECT_LE(extent.bytes, 60 * kFrame);
  EXPECT_LE(rig.allocated, 60 * kFrame);
  // A chunk is an eighth of the budget, here 7 frames: eight of them fit, a ninth does not.
  EXPECT_GE(extent.frames, 60U - 7U);
  EXPECT_LE(extent.frames, 60U);
  EXPECT_NEAR(extent.seconds, static_cast<double>(extent.frames - 1) * 1e-6, 1e-12);  // 1 us apart
  rig.expect_the_last_frames();
}

TEST(RfHistory, OnceFullItTakesNoMoreMemory) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  const std::size_t allocated = rig.allocated;
  std::set<const std::byte*> places;
  for (int i = 0; i < 500; ++i) {
    places.insert(rig.slot.bytes.data());
    rig.put();
  }
  EXPECT_EQ(rig.allocated, allocated);
  EXPECT_LE(places.size(), 33U) << "the memory of the oldest frame comes back to the ring";
  EXPECT_GE(places.size(), 28U);
  rig.expect_the_last_frames();
}

TEST(RfHistory, MeanLevelIsOfTheWholeFrame) {
  std::vector<std::int16_t> samples(10'000, 100);
  const auto level_db = [&] { return mean_level_db(std::as_bytes(std::span(samples)), SampleType::int16); };
  EXPECT_NEAR(level_db(), 40.0F, 1e-4F);
  std::fill(samples.begin() + 5'000, samples.end(), std::int16_t{-1000});
  EXPECT_NEAR(level_db(), 10.0 * std::log10(0.5 * (1e4 + 1e6)), 0.1);
  const std::vector<float> values(100, 0.1F);
  EXPECT_NEAR(mean_level_db(std::as_bytes(std::span(values)), SampleType::float32), -20.0F, 1e-4F);
  const std::vector<float> zeros(100, 0.0F);
  EXPECT_FALSE(std::isfinite(mean_level_db(std::as_bytes(std::span(zeros)), SampleType::float32)));
  EXPECT_FALSE(std::isfinite(mean_level_db({}, SampleType::int16)));
}

// A scanner's numbers count modulo 2^64.
TEST(RfHistory, AFrameIsFoundByItsNumberAcrossTheWrap) {
  EXPECT_TRUE(is_before(~std::uint64_t{0}, 0));
  EXPECT_FALSE(is_before(0, ~std::uint64_t{0}));
  EXPECT_FALSE(is_before(7, 7));
  Rig rig(60 * kFrame);
  rig.begin();
  rig.next = 0 - std::uint64_t{1'000'000'000};
  rig.fill();
  rig.next = 0 - std::uint64_t{25};
  for (int i = 0; i < 50; ++i) rig.put();
  for (int i = -25; i < 25; ++i) {
    const auto sequence = static_cast<std::uint64_t>(i);
    const std::optional<KeptFrame> kept = find_kept(rig.history, sequence);
    ASSERT_TRUE(kept.has_value()) << i;
    EXPECT_EQ(kept->frame.stamp.sequence, sequence);
  }
  EXPECT_FALSE(find_kept(rig.history, 25).has_value());
}

TEST(RfHistory, WithoutABudgetItKeepsNothing) {
  Rig rig(0);
  rig.begin();
  for (int i = 0; i < 10; ++i) rig.put();
  EXPECT_EQ(rig.history.extent().frames, 0U);
  EXPECT_FALSE(rig.history.at(0).has_value());
  EXPECT_EQ(rig.allocated, 0U);
}

// Puts frames for as long as a history beside it needs to get memory and to fill.
void until_another_has_memory(const std::function<void()>& put) {
  Rig another(8 * kFrame);
  another.begin();
  testing::wait_until([&] {
    put();
    another.put();
    return another.history.extent().frames >= 4;
  });
}

TEST(RfHistory, ABudgetSmallerThanAFrameKeepsNothing) {
  Rig rig(kFrame - 1);
  rig.begin();
  const std::byte* const place = rig.slot.bytes.data();
  until_another_has_memory([&] {
    rig.put();
    EXPECT_EQ(rig.slot.bytes.data(), place);
  });
  EXPECT_EQ(rig.history.extent().frames, 0U);
  EXPECT_EQ(rig.history.extent().bytes, 0U);
  EXPECT_EQ(rig.allocated, 0U);
}

TEST(RfHistory, FramesThatNeedPaddingStayWithinTheBudgetToo) {
  Rig rig(64 * kFrame);
  rig.begin(HostMemory::pageable, kFrame - 255);  // padded to a kilobyte each
  rig.fill();
  EXPECT_LE(rig.allocated, 64 * kFrame);
  EXPECT_GE(rig.history.extent().frames, 56U);
  rig.expect_the_last_frames();
}

TEST(RfHistory, HeldNothingIsAddedAndNothingGoes) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  rig.history.hold();
  const std::vector<FrameStamp> before = rig.history.stamps();
  const std::byte* const place = rig.slot.bytes.data();
  for (int i = 0; i < 100; ++i) {
    rig.put();
    EXPECT_EQ(rig.slot.bytes.data(), place) << "the slot keeps its memory";
  }
  const std::vector<FrameStamp> after = rig.history.stamps();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].sequence, before[i].sequence);
    EXPECT_EQ(number_in(rig.history.at(i)->frame.samples), before[i].sequence);
  }
  rig.history.release();
  for (int i = 0; i < 40; ++i) rig.put();
  rig.expect_the_last_frames();  // 40 more than fit: nothing of before is left
}

TEST(RfHistory, MemoryThatSomebodyHoldsIsNeverWrittenAgain) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  std::vector<KeptFrame> held;
  for (std::size_t i = 0; i < rig.history.extent().frames; i += 3) held.push_back(*rig.history.at(i));
  std::vector<std::uint64_t> numbers;
  for (const KeptFrame& kept : held) numbers.push_back(number_in(kept.frame.samples));
  for (int i = 0; i < 300; ++i) rig.put();
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(number_in(held[i].frame.samples), numbers[i]);
  EXPECT_LE(rig.history.extent().bytes, 32 * kFrame);
  rig.history.clear();
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(number_in(held[i].frame.samples), numbers[i]);
  held.clear();
}

TEST(RfHistory, HeldMemoryIsReplacedWhenItsUserIsDone) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  const std::size_t full = rig.history.extent().frames;
  {
    std::vector<KeptFrame> held;
    for (std::size_t i = 0; i < full; ++i) held.push_back(*rig.history.at(i));
    for (int i = 0; i < 100; ++i) rig.put();
  }
  rig.fill();
  EXPECT_GE(rig.history.extent().frames, full - 4);
  rig.expect_the_last_frames();
}

TEST(RfHistory, AMachineWithoutMemoryKeepsWhatItHas) {
  Rig rig(64 * kFrame);
  rig.begin();
  ASSERT_TRUE(testing::wait_until([&] {
    rig.put();
    return rig.history.extent().frames >= 8;
  }));
  rig.no_memory = true;
  rig.fill();
  EXPECT_GE(rig.history.extent().frames, 8U);
  rig.expect_the_last_frames();
}

TEST(RfHistory, AMachineThatNeverHadMemoryKeepsNothingAndHarmsNothing) {
  Rig rig(64 * kFrame);
  rig.no_memory = true;
  rig.begin();
  until_another_has_memory([&] { rig.put(); });
  EXPECT_EQ(rig.history.extent().frames, 0U);
  EXPECT_EQ(number_in(rig.slot.bytes), rig.next - 1);
}

// The history from one stream to the next: what stays, what goes, other kinds of memory, frames that a recording lends.

TEST(RfHistory, TheNextStreamGoesOnWithWhatIsKept) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  const std::size_t frames = rig.history.extent().frames;
  rig.history.end();
  EXPECT_EQ(rig.history.extent().frames, frames);
  rig.begin();
  EXPECT_EQ(rig.history.extent().frames, frames);
  for (int i = 0; i < 10; ++i) rig.put();
  EXPECT_GE(rig.history.extent().frames, frames - 4);  // an eighth is memory that the new stream must make first
  rig.fill();
  EXPECT_LE(rig.history.extent().bytes, 32 * kFrame);
  rig.expect_the_last_frames();
}

TEST(RfHistory, AfterItsEndTheAllocatorIsNotCalledAnyMore) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.history.end();
  const std::size_t allocated = rig.allocated;
  for (int i = 0; i < 100; ++i) rig.put();
  EXPECT_EQ(rig.allocated, allocated);
  rig.history.end();  // twice is harmless
}

// Frames in memory of the old kind stay to be looked at, and give way little by little.
TEST(RfHistory, AnotherKindOfMemoryEmptiesNothingAtOnce) {
  Rig rig(64 * kFrame);
  rig.begin(HostMemory::pageable);
  rig.fill();
  const std::size_t frames = rig.history.extent().frames;
  rig.begin(HostMemory::pinned);
  EXPECT_EQ(rig.history.extent().frames, frames);
  rig.put();
  EXPECT_GE(rig.history.extent().frames, frames - 16) << "one frame drove out all the others";
  rig.fill();
  EXPECT_GE(rig.history.extent().frames, 56U);
  EXPECT_LE(rig.history.extent().bytes, 64 * kFrame);
  rig.expect_the_last_frames();
  EXPECT_EQ(rig.slot.kind, HostMemory::pinned) << "the ring got memory of the wrong kind";
}

TEST(RfHistory, TheRingNeverGetsMemoryOfAnotherKind) {
  Rig rig(16 * kFrame);
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::mapped, HostMemory::pinned, HostMemory::mapped}) {
    rig.begin(kind);
    std::set<const std::byte*> places;  // of the slot: memory goes round
    testing::wait_until([&] {
      for (int i = 0; i < 10; ++i) {
        rig.put();
        EXPECT_EQ(rig.slot.kind, kind);
        places.insert(rig.slot.bytes.data());
      }
      return places.size() > 8;
    });
    EXPECT_LE(rig.history.extent().bytes, 16 * kFrame);
  }
}

// Frames of another size, larger or smaller: the old ones go one by one, each with its own acquisition.
TEST(RfHistory, FramesOfAnotherSizeTakeTheRoomOfTheOldOnesAsTheyCome) {
  for (const std::size_t other : {kFrame / 2, 4 * kFrame}) {
    Rig rig(64 * kFrame);
    rig.acquisition = testing::share(testing::linear_acquisition(1, 2));
    rig.begin();
    rig.fill();
    const AcquisitionPtr old = rig.acquisition;
    const std::size_t before = rig.history.extent().frames;
    rig.acquisition = testing::share(testing::linear_acquisition(2, 2));
    rig.begin(HostMemory::pageable, other);
    EXPECT_EQ(rig.history.extent().frames, before) << "nothing goes before newer frames come";
    const std::uint64_t change = rig.next;
    std::size_t both = 0;
    testing::wait_until([&] {
      rig.put();
      rig.expect_the_frames();
      EXPECT_LE(rig.history.extent().bytes, 64 * kFrame);
      const auto first = rig.history.at(0), last = rig.history.at(rig.history.extent().frames - 1);
      both += first->acquisition == old && last->acquisition == rig.acquisition ? 1 : 0;
      EXPECT_EQ(first->acquisition, first->frame.stamp.sequence < change ? old : rig.acquisition);
      EXPECT_EQ(first->frame.samples.size(), first->frame.stamp.sequence < change ? kFrame : other);
      return first->acquisition == rig.acquisition;
    });
    EXPECT_GT(both, 0U);
    rig.fill();
    EXPECT_GE(rig.history.extent().frames * other, 48 * kFrame) << "the whole budget is for the new ones";
    rig.expect_the_last_frames();
  }
}

TEST(RfHistory, ClearedItIsAsNew) {
  Rig rig(32 * kFrame);
  rig.begin();
  rig.fill();
  rig.history.hold();
  rig.history.end();
  rig.history.clear();
  EXPECT_EQ(rig.history.extent().frames, 0U);
  EXPECT_EQ(rig.history.extent().bytes, 0U);
  EXPECT_TRUE(rig.history.stamps().empty());
  rig.begin();
  rig.fill();  // not held any more
  EXPECT_GE(rig.history.extent().frames, 28U);
  rig.expect_the_last_frames();
}

// A recording of four frames in memory: frame i holds 100 + i.
struct Lender {
  explicit Lender(RfHistory& history) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      memory->push_back(testing::slot_memory(kFrame));
      const std::uint64_t number = 100 + i;
      std::memcpy(memory->back().bytes.data(), &number, sizeof number);
    }
    history.begin({.frame_bytes = kFrame,
                   .kind = HostMemory::pageable,
                   .allocate = nullptr,
                   .lend = [all = memory](std::uint64_t index) {
                     return KeptFrame{.frame = {.stamp = {}, .samples = (*all)[index].bytes}, .owner = all};
                   }});
  }
  std::shared_ptr<std::vector<FrameMemory>> memory = std::make_shared<std::vector<FrameMemory>>();
};

TEST(RfHistory, LentFramesCostNothingAndComeBackByTheirIndex) {
  RfHistory history(2 * kFrame);  // a budget for two frames: lent ones take nothing of it
  Lender lender(history);
  for (std::uint64_t n = 0; n < 50; ++n) {
    const FrameMemory back = history.offer(
        {.stamp = {.sequence = n, .source_index = n % 4, .acquired_ns = static_cast<std::int64_t>(n)}, .samples = {}},
        {});
    EXPECT_TRUE(back.bytes.empty());
  }
  EXPECT_EQ(history.extent().frames, 50U);
  EXPECT_EQ(history.extent().bytes, 0U);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto kept = history.at(i);
    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->frame.stamp.sequence, i);
    EXPECT_EQ(number_in(kept->frame.samples), 100 + i % 4);
    EXPECT_NE(kept->owner, nullptr);
  }
  history.end();
  EXPECT_TRUE(history.at(7).has_value()) << "still to be looked at after the stream's end";
}

TEST(RfHistory, LentFramesGoToo) {
  RfHistory history(kFrame);
  const Lender lender(history);
  const std::uint64_t n_frames = RfHistory::kMaxFrames + 1000;
  for (std::uint64_t n = 0; n < n_frames; ++n) {
    (void)history.offer({.stamp = {.sequence = n, .source_index = n % 4}, .samples = {}}, {});
  }
  EXPECT_EQ(history.extent().frames, RfHistory::kMaxFrames);
  EXPECT_EQ(history.at(0)->frame.stamp.sequence, 1000U);
  EXPECT_EQ(history.at(RfHistory::kMaxFrames - 1)->frame.stamp.sequence, n_frames - 1);
}

TEST(RfHistory, FromLentFramesToFramesInSlotsItBeginsAnew) {
  Rig rig(32 * kFrame);
  const Lender lender(rig.history);
  (void)rig.history.offer({.stamp = {}, .samples = {}}, {});
  EXPECT_EQ(rig.history.extent().frames, 1U);
  rig.begin();
  EXPECT_EQ(rig.history.extent().frames, 0U);
  rig.fill();
  rig.expect_the_last_frames();
}

}  // namespace
}  // namespace echoloop::rf_history_test
