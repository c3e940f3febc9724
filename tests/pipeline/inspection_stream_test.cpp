// Inspections beside a live stream: they are answered, cost it no frame, and nothing of them exists while nobody looks.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "support/streaming.h"

namespace echoloop::inspection_stream_test {
namespace {

using namespace testing;

// Counts the lanes that are alive.
class CountingBackend final : public Backend {
 public:
  explicit CountingBackend(Backend& inner) : inner_(inner) {}
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] std::string device() const override { return inner_.device(); }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    return inner_.allocate_host(bytes, kind);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override { return inner_.page_lock(memory); }
  std::unique_ptr<Lane> make_lane(int number, const LaneSettings& mode) override {
    if (number >= kMaxLanes) ++made;
    return inner_.make_lane(number, mode);
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) override {
    return inner_.make_analysis_device(analysis);
  }
  [[nodiscard]] DeviceMemory memory() const override { return inner_.memory(); }
  std::atomic<int> made{0};  // beyond the live ones

 private:
  Backend& inner_;
};

struct Stream {
  explicit Stream(InspectionAnswers* answers)
      : session(backend, source, images, trace,
                {.stream = testing::unpaced(),
                 .params = testing::small_picture(*acquisition, 24, 32),
                 .sinks = {&history},
                 .past = &past,
                 .inspections = answers}) {
    wait_until([this] { return frame_two().has_value(); });
  }
  // Always the same noise, whenever memory for the history came.
  [[nodiscard]] std::optional<KeptFrame> frame_two() const {
    for (std::size_t i = 0; i < history.extent().frames; ++i) {
      std::optional<KeptFrame> kept = history.at(i);
      if (kept.has_value() && kept->frame.stamp.source_index == 2) return kept;
    }
    return std::nullopt;
  }
  [[nodiscard]] InspectionRequest request(std::uint64_t number) const {
    const auto kept = frame_two();
    return {.frame = kept->frame,
            .owner = kept->owner,
            .params = testing::small_picture(*acquisition, 24, 32),
            .at = {0.0, 4e-3},
            .pictures = {0, 2},
            .number = number};
  }

  AcquisitionPtr acquisition = share(linear_acquisition(8, 256, {-8.0, 0.0, 8.0}));
  std::shared_ptr<SeekableSource> source = testing::noise_source(acquisition, 16);
  std::unique_ptr<Backend> cpu = make_cpu_backend(2);
  CountingBackend backend{*cpu};
  Mailbox<Image> images;
  PastImages past;
  TimingTrace trace{256};
  RfHistory history{std::size_t{16} << 20};
  Session session;
};

InspectionAnswer complete_answer(InspectionAnswers& answers) {
  wait_until([&] { return answers.take() && answers.front().complete; });
  return answers.front();
}

TEST(InspectionStream, AnswersWhileTheStreamGoesOnAndLosesNothing) {
  InspectionAnswers answers;
  Stream stream(&answers);
  stream.history.hold();
  stream.session.inspect(stream.request(5));
  const InspectionAnswer answer = complete_answer(answers);
  EXPECT_EQ(answer.number, 5U);
  EXPECT_EQ(answer.refusal, "");
  EXPECT_GT(answer.work_s, 0.0);
  ASSERT_NE(answer.pixel, nullptr);
  EXPECT_LE(answer.pixel->level.error, 1e-3);
  ASSERT_EQ(answer.pictures.size(), 2U);

  // The image of one transmit is the one of a recording that has no other.
  const RfFrame frame = stream.request(0).frame;
  const std::size_t bytes = stream.acquisition->frame_bytes() / 3;
  const std::span<const std::byte> last = frame.samples.subspan(2 * bytes);
  const AcquisitionPtr alone = share(linear_acquisition(8, 256, {8.0}));
  const std::vector<float> envelope = testing::tap_of(alone, testing::small_picture(*stream.acquisition, 24, 32),
                                                      {last.begin(), last.end()}, Lane::Tap::envelope);
  const TransmitImage& picture = *answer.pictures[1];
  EXPECT_EQ(picture.transmit, 2);
  ASSERT_EQ(picture.db.size(), envelope.size());
  const double offset = static_cast<double>(picture.db[100]) - 20.0 * std::log10(static_cast<double>(envelope[100]));
  for (std::size_t k = 0; k < envelope.size(); ++k) {
    ASSERT_NEAR(static_cast<double>(picture.db[k]), 20.0 * std::log10(static_cast<double>(envelope[k])) + offset, 1e-3);
  }
  stream.session.stop();
  EXPECT_EQ(stream.session.fault(), "");
  const RingCounts counts = stream.session.counts();
  testing::expect_counts_add_up(counts);
  EXPECT_EQ(counts.dropped + counts.refused + counts.sequence_gaps, 0U);
}

TEST(InspectionStream, WhatCannotBeDoneIsSaidAndTheNextOneIsAnswered) {
  InspectionAnswers answers;
  Stream stream(&answers);
  InspectionRequest wrong = stream.request(1);
  wrong.params.formation.band_low_hz = 6e6;
  wrong.params.formation.band_high_hz = 5e6;
  stream.session.inspect(wrong);
  EXPECT_NE(complete_answer(answers).refusal, "");
  stream.session.inspect(stream.request(2));
  EXPECT_EQ(complete_answer(answers).refusal, "");
  EXPECT_EQ(stream.session.fault(), "");
}

TEST(InspectionStream, NothingIsMadeForItUnlessSomebodyLooks) {
  InspectionAnswers answers;
  Stream stream(&answers);
  const std::uint64_t processed = stream.session.counts().processed;
  wait_until([&] { return stream.session.counts().processed > processed + 50; });
  EXPECT_EQ(stream.backend.made, 0);
  EXPECT_FALSE(answers.take());
  stream.session.inspect(stream.request(1));
  complete_answer(answers);
  EXPECT_EQ(stream.backend.made, 2);
  stream.session.inspect(stream.request(2));
  complete_answer(answers);
  EXPECT_EQ(stream.backend.made, 2) << "lanes are kept while somebody looks";
  stream.session.end_inspection();
  const std::uint64_t now = stream.session.counts().processed;
  wait_until([&] { return stream.session.counts().processed > now + 5; });
  stream.session.inspect(stream.request(3));
  complete_answer(answers);
  EXPECT_EQ(stream.backend.made, 4) << "and go when nobody does";
}

}  // namespace
}  // namespace echoloop::inspection_stream_test
