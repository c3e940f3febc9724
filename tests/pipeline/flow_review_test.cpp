// The flow of kept frames: the image of the ensemble that ends with a frame is the live one's, a step to the next
// frame beamforms one frame, other filters none; in a stream only the latest request counts and nothing live is lost.
#include <gtest/gtest.h>

#include "app/review/playback.h"
#include "backend/flow_engine.h"
#include "support/checking_backend.h"
#include "support/flow_run.h"
#include "support/history_rig.h"

namespace echoloop::flow_review_test {
namespace {

using namespace testing;

constexpr int kEnsemble = 16;

AcquisitionPtr flow_acquisition() {
  Acquisition a = linear_acquisition(8, 128);
  a.frame_rate_hz = 1000.0;
  return std::make_shared<const Acquisition>(std::move(a));
}

ImagingParams flow_params(const Acquisition& a) {
  ImagingParams p = small_picture(a, 12, 16);
  p.color_flow.mode = FlowMode::power;
  p.color_flow.frames = kEnsemble;
  p.color_flow.step = 4;
  p.level.reference_db = 3.0;
  return p;
}

// Frames [first, first + kEnsemble) of noise_source().
std::vector<std::vector<std::byte>> noise_frames(const Acquisition& a, int first) {
  std::vector<std::vector<std::byte>> frames;
  for (int i = 0; i < kEnsemble; ++i) {
    frames.push_back(to_bytes(noise(a.frame_values(), static_cast<unsigned>(first + i))));
  }
  return frames;
}

// Live, of the ensemble that ends with frame `last`.
FlowImage live_flow(const AcquisitionPtr& a, const ImagingParams& p, int last) {
  const auto source = std::make_shared<FrameList>(a, noise_frames(*a, last - kEnsemble + 1));
  return run_flow(source, p, kEnsemble).flow;
}

void expect_same(const FlowImage& again, const FlowImage& live) {
  ASSERT_EQ(again.power_db.size(), live.power_db.size());
  ASSERT_FALSE(live.power_db.empty());
  for (std::size_t i = 0; i < live.power_db.size(); ++i) {
    ASSERT_NEAR(again.power_db[i], live.power_db[i], 2e-3F) << i;
    ASSERT_NEAR(again.velocity_m_s[i], live.velocity_m_s[i], 2e-4 * live.aliasing_m_s + 1e-6) << i;
  }
  EXPECT_EQ(again.grid, live.grid);
  EXPECT_EQ(again.frames, live.frames);
  EXPECT_EQ(again.reference_db, live.reference_db);
  EXPECT_NEAR(again.aliasing_m_s, live.aliasing_m_s, 1e-12);
}

class FlowReviewers : public ::testing::Test {
 protected:
  // As a history would keep them, from one stream; `moment`: of that stream.
  EnsembleFrame frame(int i, std::int64_t moment = 1) {
    const auto index = static_cast<std::uint64_t>(i);
    auto samples = std::make_shared<const std::vector<std::byte>>(
        to_bytes(noise(a_->frame_values(), static_cast<unsigned>(i + 1000 * (moment - 1)))));
    return {.frame = {.stamp = {.sequence = index,
                                .source_index = index,
                                .acquired_ns = moment * 1'000'000'000 + i,
                                .time_s = 1e-3 * i},
                      .samples = *samples},
            .owner = samples};
  }
  FlowReviewRequest request(int last, std::int64_t moment = 1) {
    FlowReviewRequest r{.frames = {}, .params = params_};
    for (int i = last - kEnsemble + 1; i <= last; ++i) r.frames.push_back(frame(i, moment));
    return r;
  }
  FlowImage answer() {
    const FlowImage* made = nullptr;
    wait_until([&] {
      reviewer_.step(0.0);
      made = reviewer_.take();
      return made != nullptr;
    });
    return made != nullptr ? *made : FlowImage();
  }
  FlowImage flow_of(int last, std::int64_t moment = 1) {
    reviewer_.begin(request(last, moment));
    return answer();
  }
  std::uint64_t beamformed() {  // since the last call
    const std::uint64_t all = backend_.checked / 2;
    return all - std::exchange(beamformed_, all);
  }

  AcquisitionPtr a_ = flow_acquisition();
  ImagingParams params_ = flow_params(*a_);
  std::unique_ptr<Backend> cpu_ = make_cpu_backend(2);
  CheckingBackend backend_{*cpu_};
  FlowReviewer reviewer_{backend_, a_, StreamMode::overlap};
  std::uint64_t beamformed_ = 0;
};

TEST_F(FlowReviewers, ItIsWhatTheEnsembleGivesLive) {
  for (const int last : {20, 21, 22, 60, 58, 35}) {
    SCOPED_TRACE(last);
    const FlowImage flow = flow_of(last);
    EXPECT_EQ(flow.stamp.sequence, static_cast<std::uint64_t>(last));
    expect_same(flow, live_flow(a_, params_, last));
  }
  params_.color_flow.mode = FlowMode::low_rank;
  const FlowImage again = flow_of(40), live = live_flow(a_, params_, 40);
  ASSERT_EQ(again.low_rank_db.size(), live.low_rank_db.size());
  for (std::size_t i = 0; i < live.low_rank_db.size(); ++i) {
    ASSERT_NEAR(again.low_rank_db[i], live.low_rank_db[i], 0.02F) << i;
  }
}

TEST_F(FlowReviewers, AStepBeamformsOneFrameAndOtherFiltersNone) {
  (void)flow_of(30);
  EXPECT_EQ(beamformed(), 16U);
  (void)flow_of(31);
  EXPECT_EQ(beamformed(), 1U);
  (void)flow_of(30);
  EXPECT_EQ(beamformed(), 0U);
  (void)flow_of(29);  // which begins with frame 14
  EXPECT_EQ(beamformed(), 1U);
  params_.color_flow.wall_filter = WallFilter::fir;
  params_.color_flow.threshold_db = -12.0;
  const FlowImage fir = flow_of(29);
  EXPECT_EQ(beamformed(), 0U);
  EXPECT_TRUE(fir.singular_values.empty());
  expect_same(fir, live_flow(a_, params_, 29));
  params_.formation.f_number = 2.5;  // other pixels
  const FlowImage other = flow_of(29);
  EXPECT_EQ(beamformed(), 16U);
  expect_same(other, live_flow(a_, params_, 29));
}

TEST_F(FlowReviewers, PicturesAreNotAveragedOverWhatWasLookedAtBefore) {
  params_.color_flow.persistence_s = 2.0;
  (void)flow_of(30);
  const FlowImage flow = flow_of(31);
  params_.color_flow.persistence_s = 0.0;
  expect_same(flow, live_flow(a_, params_, 31));
}

TEST_F(FlowReviewers, ALaterRequestTakesThePlaceOfOneThatIsNotDone) {
  reviewer_.begin(request(40));
  for (int i = 0; i < 5; ++i) reviewer_.step(0.0);
  reviewer_.begin(request(60));
  EXPECT_EQ(answer().stamp.sequence, 60U);
  EXPECT_LE(beamformed(), 5U + 16U);
  reviewer_.begin(request(20));
  reviewer_.step(0.0);
  reviewer_.cancel();
  EXPECT_FALSE(reviewer_.beamforming());
}

// A stream that was started again counts from 0 again: its frames are others.
TEST_F(FlowReviewers, FramesOfTheSameNumberFromAnotherStreamAreOtherFrames) {
  (void)flow_of(30, 1);
  (void)beamformed();
  const FlowImage other = flow_of(30, 2);
  EXPECT_EQ(beamformed(), 16U);
  FlowReviewer fresh(backend_, a_, StreamMode::overlap);
  fresh.begin(request(30, 2));
  const FlowImage* alone = nullptr;
  wait_until([&] {
    fresh.step(0.0);
    alone = fresh.take();
    return alone != nullptr;
  });
  ASSERT_NE(alone, nullptr);
  expect_same(other, *alone);
}

// The whole way: a live stream that goes on, its history, the window's mailbox.
TEST(FlowLookingBack, TheLatestRequestIsAnsweredAndNothingLiveIsLost) {
  const AcquisitionPtr a = flow_acquisition();
  const ImagingParams params = flow_params(*a);
  const auto backend = make_cpu_backend(2);
  Mailbox<Image> images;
  Mailbox<FlowImage> live;
  PastImages past;
  TimingTrace trace{256};
  RfHistory history{std::size_t{16} << 20};
  Session session(*backend, noise_source(a, 200), images, trace,
                  {.stream = unpaced(),
                   .params = params,
                   .sinks = {&history},
                   .past = &past,
                   .analyses = AnalysisMailboxes::only(live)});
  wait_until([&] { return history.extent().frames >= 100; });
  history.hold();
  const std::vector<FrameStamp> stamps = history.stamps();
  std::size_t last = 0;
  for (std::size_t i = 30; i < 80; ++i) {
    Ensemble e = ensemble_before(history, i, kEnsemble);
    if (!e.why_not.empty()) continue;  // the recording begins again
    last = i;
    session.review({.frame = e.frames.back().frame,
                    .owner = e.frames.back().owner,
                    .params = params,
                    .compare = {},
                    .ensemble = e.frames});
  }
  ASSERT_GT(last, 0U);
  wait_until([&] { return past.flow.take() && past.flow.front().stamp.sequence == stamps[last].sequence; });
  EXPECT_TRUE(past[0].take());
  expect_same(past.flow.front(), live_flow(a, params, static_cast<int>(stamps[last].source_index)));
  std::atomic<int> delivered{0};
  for (std::size_t i = last - 3; i <= last; ++i) {  // a film's
    Ensemble e = ensemble_before(history, i, kEnsemble);
    if (i == last - 1) e.frames.clear();
    const auto kept = history.at(i);
    session.review({.frame = kept->frame,
                    .owner = kept->owner,
                    .params = params,
                    .compare = {},
                    .deliver =
                        [&, i](const Image* image, const FlowImage* flow) {
                          ASSERT_NE(image, nullptr);
                          ASSERT_EQ(flow == nullptr, i == last - 1);
                          if (flow != nullptr) {
                            EXPECT_EQ(flow->stamp.sequence, image->stamp.sequence);
                          }
                          ++delivered;
                        },
                    .ensemble = e.frames});
  }
  wait_until([&] { return delivered == 4; });
  session.end_review();
  const std::uint64_t before = session.counts().processed;
  wait_until([&] { return session.counts().processed > before + 50; });
  session.stop();
  EXPECT_EQ(session.fault(), "");
  EXPECT_EQ(session.take_refusal(), "");
  const RingCounts c = session.counts();
  expect_counts_add_up(c);
  EXPECT_EQ(c.dropped + c.refused + c.sequence_gaps + c.duplicates, 0U);
}

TEST(FlowEnsemble, EndsWithTheFrameAndNeedsThoseBefore) {
  HistoryRig rig(60 * HistoryRig::kFrameBytes);
  rig.begin();
  rig.fill();
  const std::uint64_t oldest = rig.history.stamps().front().sequence;
  const Ensemble whole = ensemble_before(rig.history, 20, 16);
  EXPECT_EQ(whole.why_not, "");
  ASSERT_EQ(whole.frames.size(), 16U);
  EXPECT_EQ(whole.frames.front().frame.stamp.sequence, oldest + 5);
  EXPECT_EQ(whole.frames.back().frame.stamp.sequence, oldest + 20);
  EXPECT_EQ(number_in(whole.frames.back().frame.samples), oldest + 20);
  EXPECT_EQ(ensemble_before(rig.history, 15, 16).why_not, "");
  EXPECT_EQ(ensemble_before(rig.history, 14, 16).why_not,
            "Only 15 history frames up to the displayed frame; an ensemble needs 16.");
}

TEST(FlowEnsemble, AnEnsembleDoesNotSpanTheEndOfARecording) {
  HistoryRig rig(60 * HistoryRig::kFrameBytes);
  rig.begin();
  rig.fill();
  for (std::uint64_t i = 0; i < 5; ++i) {
    rig.slot = rig.history.offer({.stamp = {.sequence = rig.next++, .source_index = i}, .samples = rig.slot.bytes},
                                 std::move(rig.slot));
  }
  const std::size_t newest = rig.history.extent().frames - 1;
  EXPECT_EQ(ensemble_before(rig.history, newest, 5).why_not, "");
  EXPECT_EQ(ensemble_before(rig.history, newest - 5, 16).why_not, "");
  EXPECT_EQ(ensemble_before(rig.history, newest, 16).why_not,
            "The recording restarts within the history. Only 5 consecutive frames up to the displayed frame; an "
            "ensemble needs 16.");
}

TEST(FlowEnsemble, AnEnsembleDoesNotSpanAMissingFrame) {
  HistoryRig rig(60 * HistoryRig::kFrameBytes);
  rig.begin();
  rig.fill();
  for (int i = 0; i < 5; ++i) rig.put();
  ++rig.next;  // dropped
  for (int i = 0; i < 4; ++i) rig.put();
  const std::size_t newest = rig.history.extent().frames - 1;
  EXPECT_EQ(ensemble_before(rig.history, newest, 4).why_not, "");
  EXPECT_EQ(
      ensemble_before(rig.history, newest, 5).why_not,
      "Frames are missing in the history. Only 4 consecutive frames up to the displayed frame; an ensemble needs 5.");
}

}  // namespace
}  // namespace echoloop::flow_review_test
