// The last raw frames: within the budget, the oldest goes first, memory goes round and is never taken from anybody.
#include "history/rf_history.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

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
  rig.history.let_go();
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

}  // namespace
}  // namespace echoloop::rf_history_test
