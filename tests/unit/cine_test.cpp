// Looking back without a window: the time axis of kept frames, playing along it, and what is asked for again.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "app/review/playback.h"
#include "core/param_table.h"
#include "support/fake_backend.h"
#include "support/streaming.h"

namespace echoloop::cine_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::vector<FrameStamp> stamps_at_ms(const std::vector<std::int64_t>& times_ms) {
  std::vector<FrameStamp> stamps;
  for (const std::int64_t ms : times_ms) {
    stamps.push_back({.sequence = 500 + stamps.size(), .source_index = 0, .acquired_ns = 7'000'000'000 + ms * kMs});
  }
  return stamps;
}

void expect_times(const std::vector<std::int64_t>& times_ms, const std::vector<double>& expected_s) {
  const std::vector<float> times = cine_times_s(stamps_at_ms(times_ms), 0.0);
  ASSERT_EQ(times.size(), expected_s.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected_s[i], 1e-6) << i;
}

TEST(CineTimes, AreSecondsBeforeTheNewest) {
  expect_times({}, {});
  expect_times({40}, {0.0});
  expect_times({0, 20, 40, 70}, {-0.07, -0.05, -0.03, 0.0});
}

TEST(CineTimes, APauseCountsAsAnOrdinaryStep) {
  expect_times({0, 20, 40, 10'040, 10'060, 10'080}, {-0.1, -0.08, -0.06, -0.04, -0.02, 0.0});
}

TEST(CineTimes, HalfASecondIsNotYetAPause) {
  expect_times({0, 20, 40, 540, 560}, {-0.56, -0.54, -0.52, -0.02, 0.0});
  expect_times({0, 20, 40, 541, 561}, {-0.08, -0.06, -0.04, -0.02, 0.0});
}

TEST(CineTimes, ASlowSourceHasNoPausesBetweenItsFrames) {
  expect_times({0, 400, 800, 1200, 2300}, {-2.3, -1.9, -1.5, -1.1, 0.0});  // 1.1 s: not yet three ordinary steps
  expect_times({0, 400, 800, 1200, 9300}, {-1.6, -1.2, -0.8, -0.4, 0.0});
}

TEST(CineTimes, NeverGoBack) { expect_times({0, 20, 10, 30}, {-0.04, -0.02, -0.02, 0.0}); }

// The frames of a stream that was held back: their numbers count, not the moments at which they came.
TEST(CineTimes, AreTheAcquisitionsWhereItsRateIsKnown) {
  std::vector<FrameStamp> stamps = stamps_at_ms({0, 43, 190, 230});
  stamps[2].sequence = 503;  // one was dropped
  stamps[3].sequence = 504;
  const std::vector<float> times = cine_times_s(stamps, 50.0);
  const std::vector<double> expected_s = {-0.08, -0.06, -0.02, 0.0};
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected_s[i], 1e-6) << i;
}

TEST(CineTimes, AFrozenMinuteIsNotPlayed) {
  std::vector<FrameStamp> stamps = stamps_at_ms({0, 20, 40, 60});
  stamps[2].sequence += 3000;
  stamps[3].sequence += 3000;
  EXPECT_NEAR(cine_times_s(stamps, 50.0).front(), -0.06, 1e-6);
}

// Frames 500, 501, ... are kept at the given moments. The session only takes requests.
struct Rig {
  explicit Rig(const std::vector<std::int64_t>& times_ms, double frame_rate_hz = 0.0) {
    history.begin({.frame_bytes = 8, .frame_rate_hz = frame_rate_hz, .allocate = nullptr, .lend = [](std::uint64_t) {
                     static const std::array<std::byte, 8> samples{};
                     return KeptFrame{.frame = {.stamp = {}, .samples = samples}, .owner = {}};
                   }});
    for (const FrameStamp& stamp : stamps_at_ms(times_ms)) (void)history.offer({.stamp = stamp, .samples = {}}, {});
    history.end();
    StreamSettings stream;
    stream.paused = true;
    params = testing::small_picture(*source->acquisition(), 4, 4);
    session =
        std::make_unique<Session>(backend, source, images, trace, SessionOptions{.stream = stream, .params = params});
  }
  void freeze(std::uint64_t sequence = 0) {
    review.freeze(cine, kept, sequence);
    update(0);
  }
  // A window frame `ms` later.
  std::size_t update(double ms) {
    clock_ns += static_cast<std::int64_t>(ms * 1e6);
    review.update(cine, kept, params, *session, clock_ns);
    return cine.index;
  }

  std::shared_ptr<SeekableSource> source = testing::noise_source(testing::share(testing::linear_acquisition(2, 64)), 2);
  testing::FakeBackend backend;
  Mailbox<Image> images;
  TimingTrace trace{64};
  ImagingParams params;
  std::unique_ptr<Session> session;
  RfHistory history{1 << 20};
  Playback review{history};
  Cine cine;
  KeptFrames kept;
  std::int64_t clock_ns = 1'000'000 * kMs;  // steady clocks are large
};

std::vector<std::int64_t> every_ms(std::int64_t step, int n) {
  std::vector<std::int64_t> times;
  for (int i = 0; i < n; ++i) times.push_back(step * i);
  return times;
}

TEST(Cine, FreezesOnTheFrameOnScreen) {
  Rig rig(every_ms(20, 101));
  rig.review.freeze(rig.cine, rig.kept, 540);
  EXPECT_EQ(rig.cine.index, 40U);
  EXPECT_EQ(rig.kept.frames, 101U);
  EXPECT_NEAR(rig.kept.seconds, 2.0, 1e-6);
  EXPECT_EQ(rig.cine.mark_in, 0U);
  EXPECT_EQ(rig.cine.mark_out, 100U);
  EXPECT_TRUE(rig.review.frozen());
  rig.review.resume(rig.cine, rig.kept, *rig.session);
  EXPECT_FALSE(rig.review.frozen());
  rig.review.freeze(rig.cine, rig.kept, 3);  // gone long ago: the newest
  EXPECT_EQ(rig.cine.index, 100U);
}

TEST(Cine, OfAHeldBackStreamPlaysInRealTime) {
  Rig rig(every_ms(66, 101), 50.0);  // came 3.3 times too slowly
  rig.freeze(500);
  EXPECT_NEAR(rig.kept.seconds, 2.0, 1e-6);
  EXPECT_NEAR(rig.history.extent().seconds, 2.0, 1e-6);
  rig.cine.playing = true;
  EXPECT_EQ(rig.update(1010.0), 50U);
}

TEST(Cine, StandsStillWhileNobodyPlays) {
  Rig rig(every_ms(20, 11));
  rig.freeze(505);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rig.update(1000.0), 5U);
}

TEST(Cine, PlaysByTheWallClockAtAnySpeed) {
  for (const double speed : {0.1, 0.5, 1.0, 3.0, 10.0}) {
    SCOPED_TRACE(speed);
    Rig rig(every_ms(20, 101));
    rig.freeze(500);
    rig.cine.playing = true;
    rig.cine.speed = speed;
    // Half a step off, so that rounding decides nothing; window frames of uneven length.
    double passed_ms = 10.0 / speed;
    rig.update(passed_ms);
    for (const double ms : {16.0, 3.0, 40.0, 16.0, 17.0, 60.0}) {
      const double steps = std::max(1.0, std::round(ms * speed / 20.0));
      passed_ms += 20.0 * steps / speed;
      EXPECT_EQ(rig.update(20.0 * steps / speed), static_cast<std::size_t>(passed_ms * speed / 20.0));
    }
  }
}

TEST(Cine, ManyShortWindowFramesMakeOneLongOne) {
  Rig rig(every_ms(20, 101));
  rig.freeze(500);
  rig.cine.playing = true;
  for (int i = 0; i < 505; ++i) rig.update(1.0);  // 505 ms at 20 ms a frame
  EXPECT_EQ(rig.cine.index, 25U);
}

TEST(Cine, LoopsBetweenItsMarksAndShowsBothEndsAsLongAsTheOthers) {
  Rig rig(every_ms(20, 101));
  rig.freeze(500);
  rig.cine.mark_in = 10;
  rig.cine.mark_out = 13;
  rig.cine.playing = true;
  rig.cine.index = 10;
  std::vector<int> shown(101, 0);
  for (int i = 0; i < 8000; ++i) ++shown[rig.update(1.0)];  // 100 rounds of four frames
  EXPECT_EQ(std::accumulate(shown.begin() + 10, shown.begin() + 14, 0), 8000);
  for (std::size_t i = 10; i <= 13; ++i) EXPECT_NEAR(shown[i], 2000, 100) << i;
}

TEST(Cine, ALoopOfOneFrameStandsStill) {
  Rig rig(every_ms(20, 11));
  rig.freeze(500);
  rig.cine.mark_in = rig.cine.mark_out = 4;
  rig.cine.playing = true;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(rig.update(7.0), 4U);
}

TEST(Cine, ALongWindowFrameWrapsMoreThanOnce) {
  Rig rig(every_ms(20, 11));
  rig.freeze(500);
  rig.cine.playing = true;
  rig.update(10.0);                         // 0.5 frames
  EXPECT_EQ(rig.update(5 * 220 + 60), 3U);  // five whole rounds of 11 frames, and three frames
}

TEST(Cine, ScrubbingWhilePlayingGoesOnFromThere) {
  Rig rig(every_ms(20, 101));
  rig.freeze(500);
  rig.cine.playing = true;
  rig.update(210.0);
  EXPECT_EQ(rig.cine.index, 10U);
  rig.cine.index = 70;  // by the mouse
  EXPECT_EQ(rig.update(50.0), 72U);
  rig.cine.index = 20;
  rig.cine.mark_in = 30;  // outside of the marks: the loop begins
  EXPECT_EQ(rig.update(1.0), 30U);
}

TEST(Cine, PlayingDoesNotWaitInAPause) {
  std::vector<std::int64_t> times = every_ms(20, 51);
  for (std::size_t i = 25; i < times.size(); ++i) times[i] += 60'000;  // a minute frozen
  Rig rig(times);
  rig.freeze(500);
  EXPECT_NEAR(rig.kept.seconds, 1.0, 1e-6);
  rig.cine.playing = true;
  EXPECT_EQ(rig.update(610.0), 30U);
}

TEST(Cine, AsksAgainForAnotherFrameOrOtherPixelsOnly) {
  Rig rig(every_ms(20, 11));
  rig.freeze(503);
  EXPECT_EQ(rig.review.requests(), 1U);
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 1U);
  rig.params.display.dynamic_range_db = 33.0;  // the display's alone
  rig.params.display.gamma = 1.7;
  rig.params.display.gain_db = 4.0;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 1U);
  rig.params.formation.f_number = 2.75;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 2U);
  rig.cine.index = 4;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 3U);
  rig.cine.compare = true;
  rig.cine.a = rig.params;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 4U);
  rig.review.ask_again();
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 5U);
}

TEST(Cine, LiveAComparisonIsOfTheNewestFrame) {
  Rig rig(every_ms(20, 11));
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 0U) << "the live images come by themselves";
  rig.cine.compare = true;
  rig.cine.a = rig.params;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 1U);
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 1U) << "no newer frame";
  Image newest;
  newest.stamp.sequence = 510;
  newest.params = without_display(rig.params);
  EXPECT_TRUE(rig.review.answered_by(newest));
  rig.freeze(503);
  EXPECT_EQ(rig.review.requests(), 2U) << "the frame on screen";
  rig.review.resume(rig.cine, rig.kept, *rig.session);
  EXPECT_TRUE(rig.cine.compare) << "goes on live";
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 3U);
  rig.cine.compare = false;
  rig.update(16.0);
  EXPECT_EQ(rig.review.requests(), 3U);
}

TEST(Cine, KnowsItsAnswer) {
  Rig rig(every_ms(20, 11));
  rig.freeze(503);
  Image image;
  image.stamp.sequence = 503;
  image.params = rig.params;
  image.params.display.dynamic_range_db = ImagingParams{}.display.dynamic_range_db;
  image.params.display.gain_db = ImagingParams{}.display.gain_db;
  image.params.display.gamma = ImagingParams{}.display.gamma;
  image.params.display.color_map = ImagingParams{}.display.color_map;
  image.params.level.reference_db = 12.5;  // the level in use
  EXPECT_TRUE(rig.review.answered_by(image));
  image.params.formation.f_number += 0.25;
  EXPECT_FALSE(rig.review.answered_by(image));
  image.params.formation.f_number -= 0.25;
  image.stamp.sequence = 504;
  EXPECT_FALSE(rig.review.answered_by(image));
}

TEST(Cine, WithNothingKeptThereIsNothingToAskFor) {
  Rig rig({});
  rig.freeze(0);
  rig.cine.playing = true;
  rig.update(100.0);
  EXPECT_EQ(rig.review.requests(), 0U);
  EXPECT_EQ(rig.kept.frames, 0U);
}

}  // namespace
}  // namespace echoloop::cine_test
