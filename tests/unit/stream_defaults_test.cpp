// With which policy and how many slots a window's stream starts where the user says nothing.
#include "app/stream_defaults.h"

#include <gtest/gtest.h>

#include <memory>

namespace echoloop {
namespace {

AcquisitionPtr at_hz(double rate_hz) {
  Acquisition acquisition;
  acquisition.frame_rate_hz = rate_hz;
  return std::make_shared<const Acquisition>(acquisition);
}

TEST(StartSettings, APhantomOnTheCpuShowsItsNewestFrame) {
  const StreamSettings plain;
  const StreamSettings s = start_settings(plain, {.phantom = true, .on_cpu = true, .acquisition = at_hz(50.0)});
  EXPECT_EQ(s.policy, RingPolicy::drop_oldest);
  EXPECT_EQ(s.slots, kMinSlots);
  EXPECT_EQ(s.lanes, plain.lanes);
}

TEST(StartSettings, OneThatPlaysInSlowMotionLosesNothing) {
  const StreamSettings s = start_settings({}, {.phantom = true, .on_cpu = true, .acquisition = at_hz(3000.0)});
  EXPECT_EQ(s.policy, RingPolicy::block);
  EXPECT_EQ(s.slots, kMinSlots);
}

TEST(StartSettings, EverythingElseIsAsWithoutAWindow) {
  const StreamSettings plain;
  for (const StartFacts& facts :
       {StartFacts{.phantom = true, .on_cpu = false, .acquisition = at_hz(50.0)},
        StartFacts{.phantom = false, .on_cpu = true, .acquisition = at_hz(50.0)},
        StartFacts{.phantom = true, .every_frame = true, .on_cpu = true, .acquisition = at_hz(50.0)}}) {
    StreamSettings phantoms;  // the source before
    phantoms.policy = RingPolicy::drop_oldest;
    phantoms.slots = kMinSlots;
    EXPECT_EQ(start_settings(phantoms, facts), plain);
  }
}

}  // namespace
}  // namespace echoloop
