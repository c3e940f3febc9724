// With which policy and how many slots a window's stream starts where the user says nothing.
#include "app/options/stream_defaults.h"

#include <gtest/gtest.h>

namespace echoloop::stream_defaults_test {
namespace {

TEST(StartSettings, APhantomOnTheCpuShowsItsNewestFrame) {
  const StreamSettings plain;
  const StreamSettings s = start_settings(plain, {.phantom = true, .on_cpu = true});
  EXPECT_EQ(s.policy, RingPolicy::drop_oldest);
  EXPECT_EQ(s.slots, kMinSlots);
  EXPECT_EQ(s.lanes, plain.lanes);
}

TEST(StartSettings, OneThatPlaysInSlowMotionLosesNothing) {
  const StreamSettings s = start_settings({}, {.phantom = true, .on_cpu = true, .slow_motion = true});
  EXPECT_EQ(s.policy, RingPolicy::block);
  EXPECT_EQ(s.slots, kMinSlots);
}

TEST(StartSettings, EverythingElseIsAsWithoutAWindow) {
  const StreamSettings plain;
  for (const StartFacts& facts :
       {StartFacts{.phantom = true, .on_cpu = false}, StartFacts{.phantom = false, .on_cpu = true},
        StartFacts{.phantom = true, .every_frame = true, .on_cpu = true}}) {
    StreamSettings phantoms;  // the source before
    phantoms.policy = RingPolicy::drop_oldest;
    phantoms.slots = kMinSlots;
    EXPECT_EQ(start_settings(phantoms, facts), plain);
  }
}

}  // namespace
}  // namespace echoloop::stream_defaults_test
