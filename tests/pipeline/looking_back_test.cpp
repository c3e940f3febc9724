// Kept frames processed again: pixel for pixel what the same frame gives live with the same parameters, while the live
// stream goes on and loses nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "support/set_stream.h"
#include "support/streaming.h"

namespace echoloop::looking_back_test {
namespace {

using namespace testing;

#if defined(__SANITIZE_THREAD__)
constexpr int kFrames = 100;
#else
constexpr int kFrames = 500;
#endif

AcquisitionPtr small_acquisition() { return testing::share(testing::linear_acquisition(8, 128)); }

// The same frames, lent where they lie.
class LentFrames final : public SeekableSource {
 public:
  LentFrames(AcquisitionPtr acquisition, int n) : acquisition_(std::move(acquisition)) {
    for (int i = 0; i < n; ++i) {
      const auto frame = testing::to_bytes(testing::noise(acquisition_->frame_values(), static_cast<unsigned>(i)));
      memory_.insert(memory_.end(), frame.begin(), frame.end());
    }
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "lent frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return memory_.size() / acquisition_->frame_bytes(); }
  [[nodiscard]] bool zero_copy() const override { return true; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/,
                                  const std::stop_token& /*stop*/) override {
    const std::size_t bytes = acquisition_->frame_bytes();
    return std::span<const std::byte>(memory_).subspan(static_cast<std::size_t>(index) * bytes, bytes);
  }

 private:
  AcquisitionPtr acquisition_;
  std::vector<std::byte> memory_;
};

enum class Frames { in_slots, lent };
enum class Beside { nothing, comparison };

struct Case {
  const char* name;
  Recipe recipe;
  Frames frames;
  Beside beside;
};

std::shared_ptr<SeekableSource> source_for(Frames frames, int n) {
  const AcquisitionPtr acquisition = small_acquisition();
  if (frames == Frames::lent) return std::make_shared<LentFrames>(acquisition, n);
  return testing::noise_source(acquisition, n);
}

// A live stream with a history, and the one that looks back.
struct Rig {
  Rig(std::shared_ptr<SeekableSource> frames, const ImagingParams& params, StreamSettings stream = testing::unpaced())
      : source(std::move(frames)),
        session(*backend, source, images, trace,
                {.stream = stream,
                 .params = params,
                 .on_image = [this](const Image& image) { sequences.push_back(image.stamp.sequence); },
                 .sinks = {&history},
                 .past = &past}) {}

  void keep(std::size_t n) {
    wait_until([&] { return history.extent().frames >= n; });
    history.hold();
  }
  // The kept frame of this index with `params`, and with `compare` beside it.
  std::vector<Picture> review(std::size_t index, const ImagingParams& params,
                              const std::optional<ImagingParams>& compare = {}) {
    const auto kept = history.at(index);
    EXPECT_TRUE(kept.has_value());
    session.review({.frame = kept->frame, .owner = kept->owner, .params = params, .compare = compare});
    std::vector<Picture> pictures;
    for (std::size_t i = 0; i < (compare.has_value() ? 2U : 1U); ++i) {
      wait_until([&] { return past[i].take(); });
      EXPECT_EQ(past[i].front().stamp.sequence, kept->frame.stamp.sequence);
      pictures.push_back(Picture::of(past[i].front()));
    }
    return pictures;
  }
  // The live stream, then its end: every frame came, in order.
  void expect_nothing_lost() {
    session.stop();
    EXPECT_EQ(session.fault(), "");
    const RingCounts c = session.counts();
    testing::expect_counts_add_up(c);
    EXPECT_EQ(c.dropped + c.refused + c.sequence_gaps + c.duplicates, 0U);
    ASSERT_EQ(sequences.size(), c.processed);
    for (std::size_t i = 0; i < sequences.size(); ++i) ASSERT_EQ(sequences[i], i);
  }

  std::shared_ptr<SeekableSource> source;
  std::unique_ptr<Backend> backend = make_cpu_backend(2);
  Mailbox<Image> images;
  PastImages past;
  TimingTrace trace{256};
  RfHistory history{std::size_t{16} << 20};
  std::vector<std::uint64_t> sequences;
  Session session;
};

void expect_equal(const Picture& again, const Picture& live) {
  ASSERT_EQ(again.db.size(), live.db.size());
  float most = 0.0f;
  for (std::size_t i = 0; i < live.db.size(); ++i) most = std::max(most, std::abs(again.db[i] - live.db[i]));
  EXPECT_EQ(most, 0.0f) << "frame " << live.stamp.source_index;
  EXPECT_EQ(again.stamp.source_index, live.stamp.source_index);
  EXPECT_EQ(again.params, live.params);
}

ImagingParams first_params(Recipe recipe) {
  ImagingParams params = testing::small_picture(*small_acquisition(), 12, 16);
  params.formation.recipe = recipe;
  params.level.reference_db = 3.0;
  return params;
}

ImagingParams changed(ImagingParams params) {
  params.formation.f_number = 2.25;
  params.formation.sound_speed_m_s = 1480.0;
  params.formation.grid_nx = 10;
  return params;
}

class LookingBack : public ::testing::TestWithParam<Case> {};

TEST_P(LookingBack, ManyFramesAreWhatTheyAreLive) {
  const ImagingParams a = first_params(GetParam().recipe);
  const ImagingParams b = changed(a);
  const auto source = source_for(GetParam().frames, kFrames);
  const std::vector<Picture> live_b = testing::process({.source = source, .params = b, .frames = kFrames});
  const std::vector<Picture> live_a = testing::process({.source = source, .params = a, .frames = kFrames});

  Rig rig(source, a);
  rig.keep(kFrames);
  for (std::size_t n = 0; n < kFrames; ++n) {
    const std::size_t index = n * 211 % kFrames;  // here and there
    const bool compare = GetParam().beside == Beside::comparison;
    const auto pictures = rig.review(index, b, compare ? std::optional(a) : std::nullopt);
    const auto frame = static_cast<std::size_t>(pictures[0].stamp.source_index);
    expect_equal(pictures[0], live_b[frame]);
    if (compare) expect_equal(pictures[1], live_a[frame]);
    if (HasFatalFailure() || HasNonfatalFailure()) break;
  }
  const std::uint64_t before = rig.session.counts().processed;
  rig.history.release();
  rig.session.end_review();
  wait_until([&] { return rig.session.counts().processed > before + 100; });
  rig.expect_nothing_lost();
}

INSTANTIATE_TEST_SUITE_P(Cases, LookingBack,
                         ::testing::Values(Case{"Analytic", Recipe::analytic, Frames::in_slots, Beside::nothing},
                                           Case{"AnalyticCompared", Recipe::analytic, Frames::in_slots,
                                                Beside::comparison},
                                           Case{"AnalyticLent", Recipe::analytic, Frames::lent, Beside::comparison},
                                           Case{"Course", Recipe::course, Frames::in_slots, Beside::nothing},
                                           Case{"CourseCompared", Recipe::course, Frames::lent, Beside::comparison}),
                         [](const auto& info) { return info.param.name; });

TEST(LookingBackAt, AnAutomaticLevelIsTheOneThatTheLiveStreamHolds) {
  ImagingParams params = first_params(Recipe::analytic);
  params.level.reference_db = kAutoReference;
  Rig rig(source_for(Frames::in_slots, 8), params);
  rig.keep(8);
  rig.session.hold_reference(17.0);
  const Picture at_17 = rig.review(3, params).front();
  EXPECT_EQ(at_17.params.level.reference_db, 17.0);
  rig.session.hold_reference(20.0);
  const Picture at_20 = rig.review(3, params).front();
  for (std::size_t i = 0; i < at_17.db.size(); ++i) EXPECT_NEAR(at_17.db[i] - 3.0f, at_20.db[i], 1e-3);
}

TEST(LookingBackAt, TheLastFramesOfARecordingThatIsOver) {
  const ImagingParams params = first_params(Recipe::analytic);
  StreamSettings stream = testing::unpaced();
  stream.loop = false;
  const auto source = source_for(Frames::lent, 20);
  const auto live = testing::process({.source = source, .params = changed(params), .frames = 20});
  Rig rig(source, params, stream);
  wait_until([&] { return rig.session.done(); });
  rig.keep(20);
  for (std::size_t i = 0; i < 20; ++i) expect_equal(rig.review(i, changed(params)).front(), live[i]);
  rig.session.stop();  // the processing thread still answers
  expect_equal(rig.review(4, changed(params)).front(), live[4]);
}

TEST(LookingBackAt, AFrameOnScreenStaysThroughAChangeOfConfiguration) {
  const ImagingParams params = first_params(Recipe::analytic);
  Rig rig(source_for(Frames::in_slots, 16), params);
  rig.keep(16);
  const Picture before = rig.review(5, changed(params)).front();
  for (int i = 0; i < 6; ++i) {
    StreamSettings stream = rig.session.stream();
    stream.slots = 3 + i;
    stream.lanes = 1 + i % 3;
    testing::set_stream(rig.session, stream);
    wait_until([&] { return rig.past[0].take(); });  // made again by the new configuration
    expect_equal(Picture::of(rig.past[0].front()), before);
  }
  rig.expect_nothing_lost();
}

// Side A is another recording, of other sizes: its own image, at its own 0 dB level, beside the stream's.
TEST(LookingBackAt, AnotherRecordingBesideIsWhatItIsAlone) {
  const ImagingParams params = first_params(Recipe::analytic);
  const AcquisitionPtr other = testing::share(testing::linear_acquisition(3, 96));
  const auto beside = testing::noise_source(other, 4);
  ImagingParams params_of_other = testing::small_picture(*other, 9, 11);
  params_of_other.level.reference_db = kAutoReference;
  const auto alone = testing::process({.source = beside, .params = params_of_other, .frames = 4});
  Rig rig(source_for(Frames::lent, 16), params);
  rig.keep(16);
  const Picture b_alone = rig.review(5, params).front();
  for (std::size_t k = 0; k < 4; ++k) {
    const auto kept = rig.history.at(5);
    std::vector<std::byte> slot(other->frame_bytes());  // until both images have come
    const std::span<const std::byte> samples = beside->at(k, slot);
    rig.session.review({.frame = kept->frame,
                        .owner = kept->owner,
                        .params = params,
                        .compare = params_of_other,
                        .compared = ComparedFrame{other, {{.sequence = k, .source_index = k}, samples}, beside}});
    for (std::size_t i = 0; i < 2; ++i) wait_until([&] { return rig.past[i].take(); });
    expect_equal(Picture::of(rig.past[0].front()), b_alone);
    expect_equal(Picture::of(rig.past[1].front()), alone[k]);
    EXPECT_EQ(rig.past[1].front().acquisition, other);
  }
}

TEST(LookingBackAt, OnlyTheLatestRequestCounts) {
  const ImagingParams params = first_params(Recipe::analytic);
  Rig rig(source_for(Frames::in_slots, 16), params);
  rig.keep(16);
  std::uint64_t last = 0;
  for (int round = 0; round < 200; ++round) {
    const auto kept = rig.history.at(static_cast<std::size_t>(round) % 16);
    last = kept->frame.stamp.sequence;
    rig.session.review({.frame = kept->frame, .owner = kept->owner, .params = params, .compare = {}});
  }
  wait_until([&] { return rig.past[0].take() && rig.past[0].front().stamp.sequence == last; });
  EXPECT_LE(rig.past[0].front().number, 200U);
  rig.expect_nothing_lost();
}

TEST(LookingBackAt, WhatIsDeliveredComesWholeInOrderBesideTheLooking) {
  const ImagingParams params = first_params(Recipe::analytic);
  const auto source = source_for(Frames::in_slots, 16);
  const auto live = testing::process({.source = source, .params = changed(params), .frames = 16});
  Rig rig(source, params);
  rig.session.set_host_copy(HostCopy::none);  // delivered images are on the host all the same
  rig.keep(16);
  std::vector<Picture> got;
  std::atomic<std::size_t> n_got{0};
  const auto deliver = [&](const Image* image, const FlowImage* flow) {
    EXPECT_EQ(flow, nullptr);
    ASSERT_NE(image, nullptr);
    got.push_back(Picture::of(*image));
    ++n_got;
  };
  for (std::size_t i = 0; i < 16; ++i) {
    const auto kept = rig.history.at(i);
    rig.session.review(
        {.frame = kept->frame, .owner = kept->owner, .params = changed(params), .compare = {}, .deliver = deliver});
    (void)rig.review(15 - i, params);
  }
  wait_until([&] { return n_got == 16; });
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(got[i].stamp.sequence, rig.history.at(i)->frame.stamp.sequence);
    expect_equal(got[i], live[static_cast<std::size_t>(got[i].stamp.source_index)]);
  }
  rig.expect_nothing_lost();
}

TEST(LookingBackAt, ADeliveryThatCannotBeMadeIsTold) {
  const ImagingParams params = first_params(Recipe::analytic);
  Rig rig(source_for(Frames::in_slots, 16), params);
  rig.keep(16);
  ImagingParams bad = params;
  bad.formation.depth_min_m = bad.formation.depth_max_m + 0.01;
  std::atomic<int> told{0};
  for (int i = 0; i < 3; ++i) {
    const auto kept = rig.history.at(2);
    rig.session.review({.frame = kept->frame,
                        .owner = kept->owner,
                        .params = bad,
                        .compare = {},
                        .deliver = [&](const Image* image, const FlowImage*) { told += image == nullptr ? 1 : 100; }});
  }
  wait_until([&] { return told == 3; });
  EXPECT_EQ(rig.review(2, params).front().params, params);
  rig.expect_nothing_lost();
}

TEST(LookingBackAt, ParametersThatDoNotFitAreRefusedAndNothingElseHappens) {
  const ImagingParams params = first_params(Recipe::analytic);
  Rig rig(source_for(Frames::in_slots, 16), params);
  rig.keep(16);
  ImagingParams bad = params;
  bad.formation.depth_min_m = bad.formation.depth_max_m + 0.01;
  const auto kept = rig.history.at(2);
  rig.session.review({.frame = kept->frame, .owner = kept->owner, .params = bad, .compare = {}});
  std::string refusal;
  wait_until([&] { return !(refusal = rig.session.take_refusal()).empty(); });
  EXPECT_NE(refusal.find("depth"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos);
  EXPECT_EQ(rig.review(2, params).front().params, params);
  rig.expect_nothing_lost();
}

}  // namespace
}  // namespace echoloop::looking_back_test
