// Kernels of consecutive frames run side by side where they take nine tenths of the copies' time or more.
#include "backend/cuda/runtime/frame_overlap.h"

#include <gtest/gtest.h>

#include <memory>

namespace echoloop::frame_overlap_test {
namespace {

using cuda::FrameOverlap;
using Turn = FrameOverlap::Turn;

// Frames side by side of the next `n`, each of which takes `copy_ns` and `work_ns` where it is measured.
int side_by_side(FrameOverlap& overlap, int n, std::int64_t copy_ns, std::int64_t work_ns) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const Turn turn = overlap.next();
    if (turn == Turn::measured) overlap.measured(copy_ns, work_ns);
    count += turn == Turn::side_by_side ? 1 : 0;
  }
  return count;
}

TEST(FrameOverlap, ComesWhereKernelsTakeNineTenthsOfCopies) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  EXPECT_EQ(side_by_side(overlap, 1024, 100, 92), 1024 - 16);
  FrameOverlap bus;
  bus.begin(std::make_shared<int>());
  EXPECT_EQ(side_by_side(bus, 5000, 100, 88), 0);
}

TEST(FrameOverlap, KernelsAreTheBoundOfFramesSideBySideOnly) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  for (int i = 0; i < 2100; ++i) {
    const bool bound = overlap.bound() == FrameOverlap::Bound::kernels;
    const Turn turn = overlap.next();
    EXPECT_EQ(bound, turn == Turn::side_by_side) << i;
    if (turn == Turn::measured) overlap.measured(100, i < 1024 ? 92 : 88);
  }
}

TEST(FrameOverlap, IsMeasuredAgainAfterAThousandFramesAndForAnotherPlan) {
  const int address = 0;  // both plans lie here, one after the other
  const std::shared_ptr<const void> plans[2] = {{std::make_shared<int>(), &address},
                                                {std::make_shared<int>(), &address}};
  FrameOverlap overlap;
  overlap.begin(plans[0]);
  EXPECT_EQ(side_by_side(overlap, 1024, 100, 92), 1024 - 16);
  EXPECT_EQ(side_by_side(overlap, 1024, 100, 88), 0) << "the bus has become slower";
  EXPECT_EQ(side_by_side(overlap, 100, 100, 92), 100 - 16);
  overlap.begin(plans[0]);
  EXPECT_EQ(side_by_side(overlap, 100, 100, 92), 100) << "the same plan";
  overlap.begin(plans[1]);
  EXPECT_EQ(side_by_side(overlap, 16, 100, 92), 0);
}

TEST(FrameOverlap, SingleFramesOfAPauseDoNotDecide) {
  FrameOverlap overlap;
  overlap.begin(std::make_shared<int>());
  int seen = 0, count = 0;
  for (int i = 0; i < 100; ++i) {
    const Turn turn = overlap.next();
    if (turn == Turn::measured) overlap.measured(100, seen++ % 3 == 1 ? 1000 : 88);
    count += turn == Turn::side_by_side ? 1 : 0;
  }
  EXPECT_EQ(seen, 8);
  EXPECT_EQ(count, 0);
}

TEST(FrameOverlap, FramesThatAreNotMeasuredLeaveThemInOrder) {
  FrameOverlap overlap;
  for (int i = 0; i < 100; ++i) EXPECT_NE(overlap.next(), Turn::side_by_side);
}

}  // namespace
}  // namespace echoloop::frame_overlap_test
