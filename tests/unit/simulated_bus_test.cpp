// Times of copies on the simulated bus, and torn frames of a lane without an event.
#include "backend/cpu/simulated_bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/frame_processor.h"
#include "core/units.h"
#include "support/streaming.h"

namespace echoloop {
namespace {

constexpr std::size_t kBytes = 1'000'000;

LaneSettings settings_of(StreamMode streams, HostMemory memory = HostMemory::pinned, CopySettings copy = {}) {
  LaneSettings settings(streams);
  settings.memory = memory;
  if (copy.bus_gbps <= 0.0) copy.bus_gbps = 1.0;  // 1 ms for kBytes
  settings.copy = copy;
  return settings;
}

TEST(SimulatedBus, ACopyLastsAsLongAsItsBytesAndLatencies) {
  EXPECT_EQ(SimulatedBus::duration_ns(kBytes, settings_of(StreamMode::overlap)), 1'010'000);
  EXPECT_EQ(SimulatedBus::duration_ns(kBytes, settings_of(StreamMode::overlap, HostMemory::write_combined)), 1'010'000);
  EXPECT_EQ(SimulatedBus::duration_ns(kBytes, settings_of(StreamMode::overlap, HostMemory::pageable)), 2'010'000);
  EXPECT_EQ(SimulatedBus::duration_ns(kBytes, settings_of(StreamMode::overlap, HostMemory::mapped)), 0);
  EXPECT_EQ(SimulatedBus::reading_ns(kBytes, settings_of(StreamMode::overlap, HostMemory::mapped)), 1'010'000);
  EXPECT_EQ(SimulatedBus::reading_ns(kBytes, settings_of(StreamMode::overlap)), 0);
  const CopySettings pieces{.chunks = 64, .streams = 32, .bus_gbps = 1.0, .bus_latency_us = 10.0};
  EXPECT_EQ(SimulatedBus::duration_ns(kBytes, settings_of(StreamMode::overlap, HostMemory::pinned, pieces)),
            1'000'000 + (64 + 31) * 10'000);
}

// Runs copies of frames that are published at once, each processed for `work_ns`, and returns the mean period.
std::int64_t period_ns(const LaneSettings& settings, int lanes, std::int64_t work_ns) {
  constexpr int kFrames = 50;
  SimulatedBus bus;
  std::vector<std::int64_t> lane_free(static_cast<std::size_t>(lanes), 0);
  std::int64_t now = 0, first_end = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    std::int64_t& free = lane_free[static_cast<std::size_t>(frame % lanes)];
    const BusCopy copy = bus.copy({.bytes = kBytes, .now_ns = now, .published_ns = 0, .lane_free_ns = free}, settings);
    now = std::max(now, copy.end_ns) + work_ns;
    free = now;
    if (frame == 0) first_end = now;
  }
  return (now - first_end) / (kFrames - 1);
}

TEST(SimulatedBus, OverlapNeedsTheLargerOfBothTimesAndOtherOrdersTheSum) {
  constexpr std::int64_t kCopy = 1'010'000, kLong = 3'000'000, kShort = 400'000;
  EXPECT_EQ(period_ns(settings_of(StreamMode::overlap), 3, kLong), kLong);
  EXPECT_EQ(period_ns(settings_of(StreamMode::overlap), 3, kShort), kCopy);
  EXPECT_EQ(period_ns(settings_of(StreamMode::overlap), 1, kLong), kCopy + kLong) << "one lane";
  EXPECT_EQ(period_ns(settings_of(StreamMode::serial), 3, kLong), kCopy + kLong);
  EXPECT_EQ(period_ns(settings_of(StreamMode::default_stream), 3, kLong), kCopy + kLong);
  EXPECT_EQ(period_ns(settings_of(StreamMode::overlap, HostMemory::pageable), 3, kLong), kCopy + 1'000'000 + kLong);
  const CopySettings sync{.device_sync = 1.0, .bus_gbps = 1.0};
  EXPECT_EQ(period_ns(settings_of(StreamMode::overlap, HostMemory::pinned, sync), 3, kLong), kCopy + kLong);
}

TEST(SimulatedBus, TheShareOfACopyGrowsFromBeginToEnd) {
  constexpr BusCopy kCopy{.start_ns = 100, .end_ns = 300};
  EXPECT_EQ(kCopy.share_at(50), 0.0);
  EXPECT_EQ(kCopy.share_at(200), 0.5);
  EXPECT_EQ(kCopy.share_at(300), 1.0);
  EXPECT_EQ((BusCopy{.start_ns = 5, .end_ns = 5}).share_at(5), 1.0) << "no copy";
}

// Returns the beamformed pixels of a frame whose kernels begin before its copy; its copy begins in 0.3 s.
std::vector<float> without_event(Lane& lane, const std::shared_ptr<const Plan>& plan,
                                 const std::vector<std::byte>& frame) {
  do {  // again if this thread was stopped for longer
    form_frame(lane, plan, {.stamp = {.acquired_ns = now_ns() + 300'000'000}, .samples = frame},
               {.missing_event = true});
  } while (lane.image(0).torn_share < 1.0);
  return lane.read_back(Lane::Tap::beamformed);
}

TEST(SimulatedBus, KernelsWithoutAnEventFindTheEarlierFrame) {
  const AcquisitionPtr acquisition = testing::share(testing::linear_acquisition());
  const ImagingParams params = testing::small_picture(*acquisition);
  const std::shared_ptr<const Plan> plan = make_plan(acquisition, params);
  const auto frame = [&](unsigned seed) {
    return testing::to_bytes(testing::noise(acquisition->frame_values(), seed));
  };
  const std::vector<std::byte> one = frame(1), two = frame(2);
  const std::unique_ptr<Backend> backend = make_cpu_backend(2);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, settings_of(StreamMode::overlap));
  const std::vector<float> nothing = without_event(*lane, plan, one);
  EXPECT_TRUE(std::ranges::all_of(nothing, [](float value) { return value == 0.0F; })) << "no earlier frame";
  EXPECT_EQ(without_event(*lane, plan, two), testing::tap_of(acquisition, params, one, Lane::Tap::beamformed));
  form_frame(*lane, plan, {.stamp = {}, .samples = two});
  EXPECT_EQ(lane->image(0).torn_share, 0.0) << "the fault has ended";
  EXPECT_EQ(lane->read_back(Lane::Tap::beamformed), testing::tap_of(acquisition, params, two, Lane::Tap::beamformed));
}

}  // namespace
}  // namespace echoloop
