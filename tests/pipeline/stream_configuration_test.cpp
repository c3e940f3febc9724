// From one configuration of a stream to the next: after a refusal, after a fault, in a hurry, and when it does not fit.
// Numbers and counts go on; nothing comes twice and nothing is missing that was not lost by the policy.
#include <gtest/gtest.h>

#include "support/checking_backend.h"
#include "support/fake_backend.h"
#include "support/numbered_frames.h"
#include "support/one_line.h"
#include "support/set_stream.h"
#include "support/streaming.h"

namespace echoloop::stream_configuration_test {
namespace {

using namespace testing;

struct Rig {
  SessionOptions options(const StreamSettings& stream, std::uint64_t max_frames = 0) {
    ImagingParams params = testing::small_picture(*source->acquisition(), 4, 4);
    params.level.reference_db = 0.0;
    return {.stream = stream, .params = params, .max_frames = max_frames, .on_image = [this](const Image& image) {
              if (image.stamp.sequence < next) ++out_of_order;
              missing += image.stamp.sequence - std::min(image.stamp.sequence, next);
              next = image.stamp.sequence + 1;
            }};
  }
  void make(const StreamSettings& stream, std::uint64_t max_frames = 0) {
    session = std::make_unique<Session>(backend, source, images, trace, options(stream, max_frames));
  }
  void process(std::uint64_t more) {
    const std::uint64_t before = session->counts().processed;
    wait_until([&] { return session->counts().processed >= before + more; });
  }
  // All numbers that came, came once; `lost` of them were not processed.
  void expect_every_number_once(std::uint64_t lost) {
    const RingCounts c = session->counts();
    testing::expect_counts_add_up(c);
    EXPECT_EQ(c.duplicates, 0U);
    EXPECT_EQ(c.sequence_gaps, 0U);
    EXPECT_EQ(c.next_sequence, c.produced);
    EXPECT_EQ(c.dropped + c.refused, lost);
    EXPECT_LE(missing, lost);
    EXPECT_EQ(out_of_order, 0U);
  }

  std::shared_ptr<NumberedSource> source = std::make_shared<NumberedSource>(testing::integer_acquisition(2, 64));
  FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace{64};
  std::uint64_t next = 0, missing = 0, out_of_order = 0;  // processing thread's
  std::unique_ptr<Session> session;
};

TEST(StreamConfiguration, AfterARefusalItGoesOnWithMoreSlots) {
  Rig rig;
  rig.backend.on_beamform = [](const RfFrame&) { testing::take_time(std::chrono::microseconds(100)); };
  StreamSettings stream = testing::unpaced();
  stream.policy = RingPolicy::error;
  rig.make(stream);
  for (std::uint64_t n = 1; n <= 20; ++n) {
    wait_until([&] { return rig.session->done(); });
    EXPECT_EQ(rig.session->producer_state(), ProducerState::refused);
    EXPECT_EQ(rig.session->counts().refused, n);
    EXPECT_EQ(rig.session->refusal()->sequence + 1, rig.session->counts().produced);
    stream.slots = stream.slots == 4 ? 5 : 4;
    testing::set_stream(*rig.session, stream);
  }
  stream.policy = RingPolicy::block;
  stream.slots = 6;
  testing::set_stream(*rig.session, stream);
  rig.process(50);
  rig.session->stop();
  EXPECT_LE(rig.session->counts().refused, 21U);
  rig.expect_every_number_once(rig.session->counts().refused);
}

TEST(StreamConfiguration, AfterAnInjectedErrorOnlyTheFramesInLanesAreLost) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.inject.error_at = 100;
  rig.make(stream);
  wait_until([&] { return rig.session->done(); });
  EXPECT_NE(rig.session->fault().find("frame 100"), std::string::npos) << rig.session->fault();
  stream.inject = {};
  stream.slots = 5;
  testing::set_stream(*rig.session, stream);
  rig.process(50);
  EXPECT_EQ(rig.session->fault(), "");
  rig.session->stop();
  const RingCounts c = rig.session->counts();
  EXPECT_GE(c.dropped, 1U);
  // Those in the lanes, and those in the 8 slots that nobody will read any more.
  EXPECT_LE(c.dropped, 8U + 2U);
  rig.expect_every_number_once(c.dropped);
}

TEST(StreamConfiguration, TheLastOfManyWishesHoldsAndNothingIsLost) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  rig.make(stream);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 5; ++i) {
      stream.slots = 2 + (round * 5 + i) % 60;
      stream.lanes = 1 + i % 4;
      rig.session->begin_stream(stream);
      rig.session->advance();
    }
    wait_until([&] { return rig.session->advance(); });
    EXPECT_EQ(rig.session->counts().slots, stream.slots);
    EXPECT_EQ(rig.session->stream(), stream);
    rig.process(3);
  }
  rig.session->stop();
  rig.expect_every_number_once(0);
}

TEST(StreamConfiguration, WhatIsSetWhileItIsMadeHolds) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  rig.make(stream);
  stream.slots = 5;
  rig.session->begin_stream(stream);
  stream.policy = RingPolicy::drop_newest;
  stream.pace_ms = 2.0;
  rig.session->begin_stream(stream);
  ImagingParams params = testing::small_picture(*rig.source->acquisition(), 5, 7);
  params.level.reference_db = 0.0;
  rig.session->set_params(params);
  wait_until([&] { return rig.session->advance(); });
  rig.process(5);
  wait_until([&] { return rig.images.take() && rig.images.front().grid.nx == 5; });
  EXPECT_EQ(rig.session->stream(), stream);
  rig.session->stop();
  rig.expect_every_number_once(rig.session->counts().dropped);
}

TEST(StreamConfiguration, MoreLanesThanTheDeviceHasMemoryForAreRefusedWithTheNumbers) {
  Rig rig;
  rig.backend.device_memory = {.used = 100'000'000, .free = 60'000'000};  // 50 MB a lane
  StreamSettings stream = testing::unpaced();
  stream.lanes = 2;
  rig.make(stream);
  stream.lanes = 4;
  const std::string said = testing::refusal_of([&] { rig.session->begin_stream(stream); });
  for (const char* part : {"4 lanes", "100.0 MB", "60.0 MB"}) EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_EQ(rig.session->stream().lanes, 2);
  EXPECT_TRUE(rig.session->advance()) << "nothing is under way";
  stream.lanes = 3;
  testing::set_stream(*rig.session, stream);
  EXPECT_EQ(rig.session->stream().lanes, 3);
  rig.process(5);
  rig.session->stop();
  rig.expect_every_number_once(0);
}

TEST(StreamConfiguration, OneThatCannotBeMadeGivesWayToTheLastThatWorked) {
  Rig rig;
  testing::CheckingBackend few(rig.backend);
  few.most_lanes = 2;
  StreamSettings stream = testing::unpaced();
  stream.lanes = 2;
  const StreamSettings works = stream;
  rig.session = std::make_unique<Session>(few, rig.source, rig.images, rig.trace, rig.options(stream));
  rig.process(5);
  for (const int slots : {3, 4, 5}) {
    stream.lanes = 4;
    stream.slots = slots;
    testing::set_stream(*rig.session, stream);
    EXPECT_EQ(rig.session->stream(), works);
    EXPECT_EQ(rig.session->take_refusal(), "no room for lane 3");
    EXPECT_EQ(rig.session->take_refusal(), "");
    rig.process(5);
  }
  rig.session->stop();
  rig.expect_every_number_once(0);
}

TEST(StreamConfiguration, WhenNotEvenThatWorksItThrowsAndCanBeDestroyed) {
  Rig rig;
  testing::CheckingBackend none(rig.backend);
  StreamSettings stream = testing::unpaced();
  rig.session = std::make_unique<Session>(none, rig.source, rig.images, rig.trace, rig.options(stream));
  rig.process(5);
  none.most_lanes = 0;
  stream.slots = 5;
  EXPECT_THROW(testing::set_stream(*rig.session, stream), std::runtime_error);
  EXPECT_FALSE(rig.session->running());
  testing::expect_counts_add_up(rig.session->counts());
  rig.session.reset();
}

TEST(StreamConfiguration, SlotsThatDoNotFitAreRefusedBeforeAnythingIsMade) {
  // 64 slots of 4 GB each.
  const auto source = std::make_shared<NumberedSource>(testing::linear_acquisition(1024, 1 << 20));
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.slots = 64;
  const std::string said = testing::refusal_of(
      [&] { const Session session(rig.backend, source, rig.images, rig.trace, rig.options(stream)); });
  for (const char* part : {"64 slots", "274877.9 MB", "free"}) EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(StreamConfiguration, TheFrameLimitHoldsThroughAllOfThem) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.rate_hz = 5'000.0;
  rig.make(stream, 200);
  for (int i = 0; i < 30; ++i) {
    stream.slots = 2 + i % 7;
    const std::uint64_t before = rig.session->counts().processed;
    testing::set_stream(*rig.session, stream);
    wait_until([&] { return rig.session->counts().processed > before + 3 || rig.session->done(); });
  }
  wait_until([&] { return rig.session->done(); });
  rig.session->stop();
  EXPECT_EQ(rig.session->counts().processed, 200U);
  rig.expect_every_number_once(0);
}

TEST(StreamConfiguration, MadeInTheBackgroundTheConstructorDoesNotWait) {
  Rig rig;
  SessionOptions options = rig.options(testing::unpaced());
  options.in_background = true;
  rig.session = std::make_unique<Session>(rig.backend, rig.source, rig.images, rig.trace, options);
  EXPECT_FALSE(rig.session->running());
  EXPECT_EQ(rig.session->counts().produced, 0U);
  wait_until([&] { return rig.session->advance(); });
  EXPECT_TRUE(rig.session->running());
  rig.process(10);
  rig.session.reset();  // without stop()
}

TEST(StreamConfiguration, GivenUpWhileItIsMadeNothingHangs) {
  for (int i = 0; i < 50; ++i) {
    Rig rig;
    SessionOptions options = rig.options(testing::unpaced());
    options.in_background = true;
    rig.session = std::make_unique<Session>(rig.backend, rig.source, rig.images, rig.trace, options);
    if (i % 2 == 0) rig.session->stop();
    rig.session.reset();
  }
}

}  // namespace
}  // namespace echoloop::stream_configuration_test
