// A stream from start to end: exact counts, streams remade while they run, and faults in every place.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "support/fake_backend.h"
#include "support/set_stream.h"
#include "support/streaming.h"

namespace echoloop::stream_test {
namespace {

using namespace testing;

struct Rig {
  AcquisitionPtr acquisition = share(linear_acquisition(4, 96));
  std::shared_ptr<testing::FrameList> source = testing::noise_source(acquisition, 8);
  std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  TimingTrace trace;
  std::vector<std::uint64_t> sequences;

  SessionOptions options(const StreamSettings& stream, std::uint64_t max_frames = 0) {
    return {.stream = stream,
            .params = testing::small_picture(*acquisition, 16, 16),
            .max_frames = max_frames,
            .host_copy = HostCopy::made,
            .on_image = [this](const Image& image) { sequences.push_back(image.stamp.sequence); }};
  }
  void expect_every_frame_in_order(std::size_t n) const {
    ASSERT_EQ(sequences.size(), n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sequences[i], i);
  }
};

TEST(Stream, BlockProcessesExactlyAsManyFramesAsAsked) {
  Rig rig;
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(testing::unpaced(), 37));
  wait_until([&] { return session.done(); });
  session.stop();
  const RingCounts counts = session.counts();
  EXPECT_EQ(counts.processed, 37U);
  EXPECT_EQ(counts.dropped + counts.refused, 0U);
  expect_counts_add_up(counts);
  rig.expect_every_frame_in_order(37);
  ASSERT_TRUE(rig.images.take());
  EXPECT_EQ(rig.images.front().number, 37U);
}

TEST(Stream, WithoutLoopARecordingEndsByItself) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.loop = false;
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(stream));
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.counts().processed, 8U);
  EXPECT_EQ(session.counts().produced, 8U);
  rig.expect_every_frame_in_order(8);
}

TEST(Stream, RemadeWhileRunningItLosesNothing) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.rate_hz = 2000.0;
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(stream));
  for (int i = 0; i < 12; ++i) {
    stream.slots = 2 + i % 5;
    stream.lanes = 1 + i % 4;
    stream.streams = i % 3 == 0 ? StreamMode::serial : StreamMode::overlap;
    testing::set_stream(session, stream);
    expect_counts_add_up(session.counts());
    EXPECT_EQ(session.counts().slots, stream.slots);
    const std::uint64_t before = session.counts().processed;
    wait_until([&] { return session.counts().processed > before + 10; });
  }
  session.stop();
  const RingCounts counts = session.counts();
  expect_counts_add_up(counts);
  EXPECT_EQ(counts.dropped + counts.refused, 0U);
  EXPECT_EQ(counts.sequence_gaps, 0U);
  rig.expect_every_frame_in_order(static_cast<std::size_t>(counts.processed));
}

TEST(Stream, RemakingDoesNotMoveTheFrameLimit) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.rate_hz = 1000.0;
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(stream, 60));
  wait_until([&] { return session.counts().processed > 10; });
  stream.slots = 3;
  testing::set_stream(session, stream);
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.counts().processed, 60U);
  rig.expect_every_frame_in_order(60);
}

// A lane that takes four frames: once the level is known, and four wait.
TEST(Stream, FramesTogetherAreCountedAndHandedOnOneByOne) {
  Rig rig;
  FakeBackend backend;
  std::atomic<Session*> running{nullptr};
  backend.frames_at_once = 4;
  backend.on_upload = [&](const RfFrame& frame) {
    wait_until([&] { return running != nullptr; });
    if (frame.stamp.sequence % 4 == 3) wait_until([&] { return running.load()->counts().slots_ready >= 4; });
  };
  StreamSettings stream = testing::unpaced();
  stream.slots = 10;  // four in the lane, four that wait, one that is written
  Session session(backend, rig.source, rig.images, rig.trace, rig.options(stream, 37));
  running = &session;
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(backend.most_taken, 4);
  EXPECT_EQ(session.counts().processed, 37U);
  EXPECT_EQ(session.counts().dropped + session.counts().refused, 0U);
  expect_counts_add_up(session.counts());
  rig.expect_every_frame_in_order(37);
}

// A fault is injected into one frame: frames go one by one until then, and none is counted twice.
TEST(Stream, FramesTogetherLeaveTheFaultyFrameToItself) {
  Rig rig;
  FakeBackend backend;
  backend.frames_at_once = 4;
  SessionOptions options = rig.options(testing::unpaced());
  options.stream.inject.error_at = 21.0;
  Session session(backend, rig.source, rig.images, rig.trace, options);
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.counts().processed, 21U);
  EXPECT_EQ(session.counts().in_flight, static_cast<std::uint64_t>(session.counts().slots_ready));
  expect_counts_add_up(session.counts());
  rig.expect_every_frame_in_order(21);
}

TEST(Stream, PausedItStandsStill) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.paused = true;
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(stream));
  Rig other;  // as long as another stream takes for its first frames
  Session running(*other.backend, other.source, other.images, other.trace, other.options(testing::unpaced()));
  wait_until([&] { return running.counts().processed > 20; });
  running.stop();
  EXPECT_EQ(session.counts().produced, 0U);
  stream.paused = false;
  testing::set_stream(session, stream);
  wait_until([&] { return session.counts().processed > 20; });
  session.stop();
}

TEST(Stream, ErrorOnOverrideEndsWithAReport) {
  Rig rig;
  StreamSettings stream = testing::unpaced();
  stream.policy = RingPolicy::error;
  stream.slots = 2;
  SessionOptions options = rig.options(stream);
  std::latch refused(1);
  options.on_image = [&](const Image&) { refused.wait(); };  // too slow for any source
  Session session(*rig.backend, rig.source, rig.images, rig.trace, options);
  wait_until([&] { return session.producer_state() != ProducerState::running; });
  refused.count_down();
  wait_until([&] { return session.done(); });
  EXPECT_EQ(session.producer_state(), ProducerState::refused);
  EXPECT_NE(session.producer_report().find("slots"), std::string::npos) << session.producer_report();
  const RingCounts counts = session.counts();
  EXPECT_EQ(counts.refused, 1U);
  EXPECT_EQ(counts.in_flight, 0U);
  expect_counts_add_up(counts);
  session.stop();
}

// The program ends while a frame is formed: nothing more is made of the frame, however long that would take.
TEST(Stream, NothingIsMadeOfAnAbandonedFrame) {
  Rig rig;
  testing::FakeBackend backend;
  std::atomic<bool> forming{false};
  backend.on_beamform = [&](const RfFrame&) {
    forming = true;
    wait_until([&] { return backend.abandoned.load(); });
  };
  Session session(backend, rig.source, rig.images, rig.trace, rig.options(testing::unpaced()));
  wait_until([&] { return forming.load(); });
  session.stop_soon();
  EXPECT_EQ(backend.images, 0);
  EXPECT_EQ(session.counts().processed, 0U);
  EXPECT_GE(session.counts().dropped, 1U);
  EXPECT_EQ(session.fault(), "");
  expect_counts_add_up(session.counts());
}

TEST(Fault, ASourceThatThrowsEndsTheStreamWithItsMessage) {
  Rig rig;
  rig.source->before = [](std::uint64_t index) {
    if (index == 5) throw Error("tape.npy", "it shrank", "a file that stays");
  };
  Session session(*rig.backend, rig.source, rig.images, rig.trace, rig.options(testing::unpaced()));
  wait_until([&] { return session.done(); });
  EXPECT_EQ(session.producer_state(), ProducerState::failed);
  EXPECT_NE(session.producer_report().find("it shrank"), std::string::npos);
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.counts().processed, 5U);
  EXPECT_EQ(session.counts().in_flight, 0U);
  expect_counts_add_up(session.counts());
  session.stop();
}

// The stream must end with `message`, and no frame may be in flight except those that nobody began to read.
void expect_fault(Session& session, const std::string& message) {
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_NE(session.fault().find(message), std::string::npos) << session.fault();
  const RingCounts counts = session.counts();
  expect_counts_add_up(counts);
  EXPECT_EQ(counts.in_flight, static_cast<std::uint64_t>(counts.slots_ready));
  EXPECT_EQ(counts.slots_reading, 0);
  EXPECT_EQ(counts.slots_writing, 0);
  EXPECT_NE(session.producer_state(), ProducerState::running);
}

TEST(Fault, ALaneThatThrowsEndsTheStreamWithItsMessage) {
  for (const std::uint64_t when : {0U, 1U, 6U}) {
    for (const int lanes : {1, 3}) {
      Rig rig;
      testing::FakeBackend backend;
      backend.on_beamform = [when](const RfFrame& frame) {
        if (frame.stamp.sequence == when) throw std::runtime_error("the device fell off the bus");
      };
      StreamSettings stream = testing::unpaced();
      stream.lanes = lanes;
      Session session(backend, rig.source, rig.images, rig.trace, rig.options(stream));
      expect_fault(session, "fell off the bus");
      EXPECT_EQ(session.counts().processed + session.counts().dropped, when + 1);
      EXPECT_GE(session.counts().dropped, 1U);
    }
  }
}

TEST(Fault, AConsumerThatThrowsLosesNoCount) {
  Rig rig;
  SessionOptions options = rig.options(testing::unpaced());
  options.on_image = [](const Image& image) {
    if (image.stamp.sequence == 4) throw std::runtime_error("consumer failed");
  };
  Session session(*rig.backend, rig.source, rig.images, rig.trace, options);
  expect_fault(session, "consumer failed");
}

TEST(Fault, AfterAFaultTheStreamCanBeRemade) {
  Rig rig;
  testing::FakeBackend backend;
  std::atomic<bool> broken{true};
  backend.on_beamform = [&](const RfFrame&) {
    if (broken) throw std::runtime_error("broken");
  };
  StreamSettings stream = testing::unpaced();
  Session session(backend, rig.source, rig.images, rig.trace, rig.options(stream));
  wait_until([&] { return session.done(); });
  broken = false;
  stream.lanes = 1;
  testing::set_stream(session, stream);
  const std::uint64_t before = session.counts().processed;
  wait_until([&] { return session.counts().processed > before + 5; });
  stream.loop = false;  // frame 8 and later: the recording is over
  testing::set_stream(session, stream);
  wait_until([&] { return session.done(); });
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.counts().in_flight, 0U) << "frames of the broken stream are still counted as in flight";
  expect_counts_add_up(session.counts());
}

TEST(Fault, ABackendThatCannotMakeALaneRefusesTheStream) {
  Rig rig;
  testing::FakeBackend backend;
  backend.refuse_lanes = true;
  EXPECT_THROW(Session(backend, rig.source, rig.images, rig.trace, rig.options(testing::unpaced())),
               std::runtime_error);
}

}  // namespace
}  // namespace echoloop::stream_test
