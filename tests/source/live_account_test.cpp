// Numbers of a sender's frames: epochs, duplicates, gaps and whose they are; times of its clock.
#include <gtest/gtest.h>

#include "source/live/live_intake.h"

namespace echoloop::live_account_test {
namespace {

using Kind = NumberedFrame::Kind;

TEST(LiveAccount, KeepsTheSendersNumbersInTheFirstEpoch) {
  LiveAccount account;
  EXPECT_EQ(account.add(40, 0).kind, Kind::new_epoch);
  const NumberedFrame next = account.add(41, 0);
  EXPECT_EQ(next.kind, Kind::follows);
  EXPECT_EQ(next.sequence, 41U);
  EXPECT_EQ(account.next(), 42U);
}

TEST(LiveAccount, KnowsWhichOfAGapWereLostAtTheSender) {
  LiveAccount account;
  account.add(0, 3);
  const NumberedFrame after = account.add(10, 7);  // 9 left out, 4 of them reported
  EXPECT_EQ(after.gap.lost, 4U);
  EXPECT_EQ(account.add(11, 9).gap.lost, 0U) << "no number was left out for these";
  EXPECT_EQ(account.add(14, 10).gap.lost, 1U);
}

TEST(LiveAccount, CountsStaleFramesOfAGap) {
  LiveAccount account;
  account.add(0, 0);
  account.add_stale(1);
  account.add_stale(2);
  const NumberedFrame after = account.add(5, 1);
  EXPECT_EQ(after.gap.lost, 1U);
  EXPECT_EQ(after.gap.stale, 2U);
  EXPECT_EQ(account.stale(), 2U);
}

TEST(LiveAccount, CountsStaleFramesWithTheFrameThatFollows) {
  LiveAccount account;
  account.add(7, 0);
  account.add_stale(8);
  EXPECT_EQ(account.stale(), 0U) << "as in the counts of the stream";
  account.begin_epoch();
  const NumberedFrame first = account.add(100, 0);
  EXPECT_EQ(first.gap.stale, 1U);
  EXPECT_EQ(first.sequence, 9U);
  EXPECT_EQ(account.stale(), 1U);
}

TEST(LiveAccount, AnotherConnectionFollowsOn) {
  LiveAccount account;
  account.add(100, 0);
  account.begin_epoch();
  const NumberedFrame first = account.add(0, 55);
  EXPECT_EQ(first.kind, Kind::new_epoch);
  EXPECT_EQ(first.sequence, 101U);
  EXPECT_EQ(first.gap.lost, 0U) << "lost before it connected";
  EXPECT_EQ(account.add(2, 56).sequence, 103U);
  EXPECT_EQ(account.epochs(), 2U);
}

TEST(LiveAccount, NumbersThatCannotBeBeginAnEpoch) {
  LiveAccount account;
  account.add(5, 0);
  EXPECT_EQ(account.add(5 + (std::uint64_t{1} << 63), 0).sequence, 6U);
  EXPECT_EQ(account.add(0, 0).sequence, 7U) << "backwards by 2^63";
  EXPECT_EQ(account.add(~std::uint64_t{0} - 2000, 0).sequence, 8U) << "further below 1 than a duplicate, modulo 2^64";
  EXPECT_EQ(account.epochs(), 4U);
}

TEST(LiveAccount, ANumberThatCameIsADuplicate) {
  LiveAccount account;
  account.add(10, 0);
  account.add(11, 0);
  const NumberedFrame again = account.add(11, 0);
  EXPECT_EQ(again.kind, Kind::duplicate);
  EXPECT_EQ(again.sequence, 11U);
  EXPECT_EQ(account.add(3, 0).sequence, 10U) << "before the first frame of the epoch";
  EXPECT_EQ(account.next(), 12U);
}

// The distances of the protocol page, from the number expected: the highest + 1.
TEST(LiveAccount, EpochsBeginBeyondTheDistancesOfThePage) {
  constexpr std::uint64_t kExpected = 5000, kFar = std::uint64_t{1} << 32;
  const auto kind_of = [](std::uint64_t sequence) {
    LiveAccount account;
    account.add(kExpected - 1, 0);
    return account.add(sequence, 0).kind;
  };
  EXPECT_EQ(kind_of(kExpected - 1024), Kind::duplicate);
  EXPECT_EQ(kind_of(kExpected - 1025), Kind::new_epoch);
  EXPECT_EQ(kind_of(kExpected + kFar), Kind::follows);
  EXPECT_EQ(kind_of(kExpected + kFar + 1), Kind::new_epoch);
}

// Whatever the place of 2^64 among the numbers, the kinds, gaps and counts are the same.
TEST(LiveAccount, CountsModulo2To64) {
  constexpr std::uint64_t kBefore = ~std::uint64_t{0} - 49;
  for (const std::uint64_t start : {std::uint64_t{1000}, kBefore, ~std::uint64_t{0}, std::uint64_t{0}}) {
    LiveAccount account;
    account.add(start, start);
    const NumberedFrame after = account.add(start + 100, start + 40);  // a hole of 99
    EXPECT_EQ(after.kind, Kind::follows) << start;
    EXPECT_EQ(after.sequence, start + 100);
    EXPECT_EQ(after.gap.lost, 40U);
    EXPECT_EQ(account.add(start + 101, start + 40).kind, Kind::follows) << start;
    EXPECT_EQ(account.add(start + 60, start + 40).kind, Kind::duplicate) << start;
    EXPECT_EQ(account.add(start - 5, start + 40).sequence, start) << "before the first frame of the epoch";
    account.add_stale(start + 102);
    EXPECT_EQ(account.add(start + 103, start + 40).gap.stale, 1U) << start;
    EXPECT_EQ(account.missing(), 59U) << start;
    EXPECT_EQ(account.duplicates(), 2U) << start;
    EXPECT_EQ(account.epochs(), 1U) << start;
  }
}

TEST(LiveAccount, AnEpochFollowsOnAcross2To64) {
  LiveAccount account;
  account.add(~std::uint64_t{0}, 0);
  account.begin_epoch();
  EXPECT_EQ(account.add(77, 0).sequence, 0U);
  EXPECT_EQ(account.add(79, 0).gap.lost, 0U);
  EXPECT_EQ(account.next(), 3U);
  EXPECT_EQ(account.missing(), 1U);
}

TEST(LiveClock, TakesTheDevicesTime) {
  LiveClock clock;
  EXPECT_EQ(clock.time_s(1000, 1e3, 1), 0.0);
  EXPECT_DOUBLE_EQ(clock.time_s(1500, 1e3, 2), 0.5);
  EXPECT_DOUBLE_EQ(clock.time_s(1500, 1e3, 3), 0.5);
}

TEST(LiveClock, NeverGoesBackAndNeverLeaps) {
  LiveClock clock;
  clock.time_s(1000, 1e3, 1'000'000'000);
  EXPECT_DOUBLE_EQ(clock.time_s(500, 1e3, 3'000'000'000), 2.0) << "the host's time between them";
  EXPECT_DOUBLE_EQ(clock.time_s(std::uint64_t{1} << 62, 1e3, 4'000'000'000), 3.0);
  clock.begin_epoch();
  EXPECT_DOUBLE_EQ(clock.time_s(7, 1e3, 4'500'000'000), 3.5);
  EXPECT_DOUBLE_EQ(clock.time_s(8, 1e3, 9'000'000'000), 3.501);
}

}  // namespace
}  // namespace echoloop::live_account_test
