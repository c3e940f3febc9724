// Kernels of consecutive frames run side by side where they take nine tenths of the copies' time or more, with as many
// frames a launch as possible.
#include <gtest/gtest.h>

#include <memory>

#include "backend/cuda/runtime/context.h"

namespace echoloop::frame_overlap_test {
namespace {

using cuda::FrameOverlap;
using Turn = FrameOverlap::Turn;

constexpr std::int64_t kCopyNs = 100;

// Of the next `n` launches: with as many frames as possible, and side by side.
struct Launches {
  int many = 0;
  int side_by_side = 0;
};

// Kernels take few_ns and many_ns in the time of a copy of kCopyNs where they are measured.
Launches launch(FrameOverlap& overlap, int n, std::int64_t few_ns, std::int64_t many_ns) {
  Launches seen;
  for (int i = 0; i < n; ++i) {
    seen.many += overlap.bound() == FrameOverlap::Bound::kernels ? 1 : 0;
    const Turn turn = overlap.next();
    if (turn == Turn::measured_few) overlap.measured(turn, kCopyNs, few_ns);
    if (turn == Turn::measured_many) overlap.measured(turn, kCopyNs, many_ns);
    seen.side_by_side += turn == Turn::side_by_side ? 1 : 0;
  }
  return seen;
}

TEST(FrameOverlap, ComesWhereKernelsTakeNineTenthsOfCopies) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  const Launches seen = launch(overlap, 1024, 92, 92);
  EXPECT_EQ(seen.side_by_side, 1024 - 32);
  EXPECT_EQ(seen.many, 1024 - 16);
}

TEST(FrameOverlap, IsNotNeededWhereManyFramesALaunchAreEnough) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  const Launches seen = launch(overlap, 2048, 120, 88);
  EXPECT_EQ(seen.side_by_side, 0);
  EXPECT_EQ(seen.many, 2 * (1024 - 16));
}

TEST(FrameOverlap, FramesGoAsTheyAreWhereCopiesTakeLonger) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  const Launches seen = launch(overlap, 5000, 88, 120);
  EXPECT_EQ(seen.side_by_side, 0);
  EXPECT_EQ(seen.many, 0);
}

TEST(FrameOverlap, IsMeasuredAgainAfterAThousandLaunchesAndForAnotherPlan) {
  const int address = 0;  // both plans lie here, one after the other
  const std::shared_ptr<const void> plans[2] = {{std::make_shared<int>(), &address},
                                                {std::make_shared<int>(), &address}};
  FrameOverlap overlap;
  overlap.begin(plans[0]);
  EXPECT_EQ(launch(overlap, 1024, 92, 92).side_by_side, 1024 - 32);
  EXPECT_EQ(launch(overlap, 1024, 88, 88).side_by_side, 0) << "the bus has become slower";
  EXPECT_EQ(launch(overlap, 100, 92, 92).side_by_side, 100 - 32);
  overlap.begin(plans[0]);
  EXPECT_EQ(launch(overlap, 100, 92, 92).side_by_side, 100) << "the same plan";
  overlap.begin(plans[1]);
  EXPECT_EQ(launch(overlap, 32, 92, 92).side_by_side, 0);
}

TEST(FrameOverlap, SingleLaunchesOfAPauseDoNotDecide) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  int seen = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(overlap.bound(), FrameOverlap::Bound::copies);
    const Turn turn = overlap.next();
    if (turn == Turn::measured_few) overlap.measured(turn, kCopyNs, seen++ % 3 == 1 ? 1000 : 88);
  }
  EXPECT_EQ(seen, 8);
}

TEST(FrameOverlap, LaunchesThatAreNotMeasuredLeaveThemInOrder) {
  FrameOverlap overlap;
  for (int i = 0; i < 100; ++i) EXPECT_NE(overlap.next(), Turn::side_by_side);
}

}  // namespace
}  // namespace echoloop::frame_overlap_test
