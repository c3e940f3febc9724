// What the viewer tells a sender about its frames, and about itself: counts, pauses, the user's disconnection; and what
// is found in the samples of integer frames.
#include <gtest/gtest.h>

#include <limits>

#include "source/live_rig.h"
#include "support/one_line.h"

namespace echoloop::live_counts_test {
namespace {

using testing::LiveRig;
using testing::small_scan;
using testing::operator<<;

// The next STATE that `holds`.
template <class Condition>
bool expect_state(testing::ScriptedSender& sender, Condition&& holds) {
  while (const auto state = sender.expect(8)) {
    if (holds(*state)) return true;
  }
  return false;
}

TEST(LiveCounts, StateTellsWhatCame) {
  LiveRig rig;
  const auto sender = rig.start();
  ASSERT_TRUE(sender->frame(0, 1));
  ASSERT_TRUE(sender->frame(10, 2, {.lost = 4}));
  ASSERT_TRUE(sender->frame(10, 3, {.lost = 4}));
  EXPECT_TRUE(expect_state(*sender, [](const auto& s) {
    return s.template at<std::uint64_t>(8) == 3 && s.template at<std::uint64_t>(16) == 1 &&
           s.template at<std::uint64_t>(24) == 4 && s.template at<std::uint64_t>(32) == 5 &&
           s.template at<std::uint64_t>(40) == 0;
  })) << "received, duplicates, lost, missing, stale";
}

TEST(LiveCounts, StateTellsPolicyAndPause) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.source->set_policy(RingPolicy::drop_newest);
  EXPECT_TRUE(expect_state(*sender, [](const auto& s) { return s.template at<std::uint32_t>(0) == 3; }));
  rig.producer->set({.rate_hz = kRateMax, .paused = true});
  EXPECT_TRUE(expect_state(*sender, [](const auto& s) { return s.template at<std::uint32_t>(4) == 1; }));
  rig.producer->set({.rate_hz = kRateMax, .paused = false});
  EXPECT_TRUE(expect_state(*sender, [](const auto& s) { return s.template at<std::uint32_t>(4) == 0; }));
  rig.expect_frame(*sender, 0, 1);
}

TEST(LiveCounts, ADisconnectedSenderIsNotLetInUntilItIsAllowed) {
  LiveRig rig;
  auto sender = rig.start();
  rig.expect_frame(*sender, 0, 1);
  rig.source->live()->set_admission(Admission::closed);
  const auto bye = sender->expect(13);
  ASSERT_TRUE(bye.has_value());
  EXPECT_EQ(bye->text(0), "disconnected by the viewer's user");
  EXPECT_TRUE(sender->closed_by_viewer());
  EXPECT_FALSE(rig.status().accepting);
  sender = rig.connect();
  ASSERT_TRUE(sender->hello());
  const auto refused = sender->expect(5);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->at<std::uint32_t>(0), 2U) << "busy: it may try again";
  EXPECT_TRUE(testing::contains(refused->text(8), "accepts no sender"));
  rig.source->live()->set_admission(Admission::open);
  sender = rig.connect();
  ASSERT_TRUE(sender->begin(small_scan()));
  rig.expect_frame(*sender, 0, 2);
}

// Until a sender's first frame, what is on screen is of the one before.
TEST(LiveCounts, ANameGoesWithTheFramesOfItsSender) {
  LiveRig rig;
  auto sender = rig.start(small_scan(8, R"("name": "Scanner A",)"));
  rig.expect_frame(*sender, 0, 1);
  sender.reset();
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().link == LiveLink::gone; }));
  sender = rig.connect();
  ASSERT_TRUE(sender->begin(small_scan(8, R"("name": "Scanner B",)")));
  const std::uint64_t shown = rig.ring->counts().next_sequence - 1;
  EXPECT_EQ(rig.status().name_at(shown, "?"), "Scanner A");
  EXPECT_EQ(rig.status().names.size(), 1U) << "no frame of B has come";
  ASSERT_TRUE(rig.wait_until([&] { return rig.producer->state() == ProducerState::changed; }));
  rig.stream(RingPolicy::block, 4, rig.end_stream());
  ASSERT_TRUE(sender->frame(0, 2));
  ASSERT_TRUE(rig.wait_until([&] { return rig.status().names.size() == 2; }));
  EXPECT_EQ(rig.status().name_at(shown, "?"), "Scanner A");
  EXPECT_EQ(rig.status().name_at(shown + 1, "?"), "Scanner B");
}

TEST(LiveCounts, FramesCarryWhatTheSenderSays) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(8, R"("device_hz": 1000,)"));
  ASSERT_TRUE(sender->frame(0, 1, {.ticks = 5000}));
  ASSERT_TRUE(sender->frame(10, 1, {.ticks = 5250, .lost = 4}));
  EXPECT_EQ(rig.read()->stamp.sender.device_ticks, 5000U);
  const FrameStamp second = rig.read()->stamp;
  EXPECT_EQ(second.sender.device_ticks, 5250U);
  EXPECT_EQ(second.sender.lost, 4U);
  EXPECT_EQ(second.sender.missing, 5U);
  EXPECT_EQ(rig.source->device_hz(), 1000.0);
}

// Of frames that come faster than ten a second some are looked through.
TEST(LiveCounts, ClippedSamplesAreCounted) {
  LiveRig rig;
  const auto sender = rig.start(small_scan(), RingPolicy::block, 4, 2);
  ASSERT_TRUE(sender->expect(6).has_value());
  std::vector<std::int16_t> samples(32, 10);
  for (std::size_t k = 8; k < 12; ++k) samples[k] = std::numeric_limits<std::int16_t>::max();
  testing::Bytes frame;
  frame << testing::ScriptedWord{.bytes = 64, .block = sender->credits.back().block};
  for (const std::int16_t sample : samples) frame << sample;
  sender->credits.pop_back();
  ASSERT_TRUE(sender->message(7, frame));
  ASSERT_TRUE(rig.read().has_value());
  EXPECT_EQ(rig.status().checked.frames, 1U);
  EXPECT_EQ(rig.status().checked.samples, 32U);
  EXPECT_EQ(rig.status().checked.of(SampleFault::clipped).samples, 4U);
  for (std::uint64_t k = 1; k < 50; ++k) rig.expect_frame(*sender, k, 0);
  EXPECT_LT(rig.status().checked.frames, rig.status().frames);
  EXPECT_EQ(rig.status().checked.of(SampleFault::clipped).samples, 4U);
}

// A backend counts invalid samples of all frames, the intake other faults of some.
TEST(LiveCounts, InvalidSamplesAreThoseThatABackendCounted) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 0);
  const SampleFaults before = rig.status().checked;
  rig.source->live()->note_invalid({.samples = 3, .elements = {false, true}});
  const SampleFaults after = rig.status().checked;
  EXPECT_EQ(after.samples, before.samples);
  EXPECT_EQ(after.of(SampleFault::invalid).samples, 3U);
  EXPECT_DOUBLE_EQ(after.share(SampleFault::invalid), 3.0 / 32.0);
}

TEST(LiveCounts, SilentFramesAreCounted) {
  LiveRig rig;
  const auto sender = rig.start();
  rig.expect_frame(*sender, 0, 7);
  EXPECT_EQ(rig.status().checked.of(SampleFault::silent).samples, 32U);
  EXPECT_EQ(rig.status().checked.of(SampleFault::clipped).samples, 0U);
}

}  // namespace
}  // namespace echoloop::live_counts_test
