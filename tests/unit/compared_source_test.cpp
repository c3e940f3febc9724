// Side A of a comparison as a recording of its own: which of its frames goes with which of B's, and how they are read.
#include <gtest/gtest.h>

#include "app/outputs/comparison.h"
#include "app/review/playback.h"
#include "core/error.h"
#include "support/acquisitions.h"
#include "support/streaming.h"

namespace echoloop::compared_source_test {
namespace {

FrameStamp at(double time_s, std::uint64_t index) { return {.source_index = index, .time_s = time_s}; }

TEST(FrameBeside, IsTheOneOfTheSameTime) {
  EXPECT_EQ(frame_beside(at(0.0, 0), 50.0, 100), 0U);
  EXPECT_EQ(frame_beside(at(0.5, 10), 50.0, 100), 25U) << "20 frames a second against 50";
  EXPECT_EQ(frame_beside(at(0.512, 10), 50.0, 100), 26U) << "the nearest";
  EXPECT_EQ(frame_beside(at(2.5, 50), 50.0, 100), 25U) << "A begins again";
  EXPECT_EQ(frame_beside(at(2.5, 50), 50.0, 0), 125U) << "A has no end";
}

TEST(FrameBeside, WithoutARateIsTheOneOfTheSameNumber) {
  EXPECT_EQ(frame_beside(at(0.5, 10), 0.0, 100), 10U);
  EXPECT_EQ(frame_beside(at(0.0, 10), 50.0, 8), 2U) << "B's rate is not known";
}

OpenedSource opened(std::shared_ptr<SeekableSource> source) {
  OpenedSource o{.name = "other", .source = std::move(source), .facts = {}, .info = {}};
  o.info.acquisition = o.source->acquisition();
  return o;
}

// Four frames in memory that is lent in place.
class LentFrames final : public SeekableSource {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "lent"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 4; }
  [[nodiscard]] bool zero_copy() const override { return true; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/,
                                  const std::stop_token& /*stop*/) override {
    const std::size_t bytes = acquisition_->frame_bytes();
    return std::span<const std::byte>(memory_).subspan(index * bytes, bytes);
  }

 private:
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(2, 64));
  std::vector<std::byte> memory_{4 * acquisition_->frame_bytes()};
};

TEST(ComparedSource, LendsFramesAtOnce) {
  const auto source = std::make_shared<LentFrames>();
  ComparedSource compared;
  EXPECT_FALSE(compared.frame_for(at(0.0, 0)));
  compared.use(opened(source));
  EXPECT_TRUE(compared.wanted());
  const auto frame = compared.frame_for(at(0.0, 6));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->frame.stamp.source_index, 6 % 4U);
  EXPECT_EQ(frame->frame.samples.data(), source->at(2, {}).data());
  compared.forget();
  EXPECT_FALSE(compared.wanted());
  EXPECT_FALSE(compared.frame_for(at(0.0, 0)));
}

// Frames that are written into slots, or cannot be had.
class WrittenFrames final : public SeekableSource {
 public:
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "written"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 8; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    if (index == 7) throw Error("written", "a file that became shorter", "all of its frames");
    std::fill(slot.bytes.begin(), slot.bytes.end(), static_cast<std::byte>(index));
    return slot.bytes;
  }

 private:
  AcquisitionPtr acquisition_ = testing::share(testing::linear_acquisition(2, 64));
};

TEST(ComparedSource, ReadsTheFrameThatWasAskedForLast) {
  ComparedSource compared;
  compared.use(opened(std::make_shared<WrittenFrames>()));
  for (const std::uint64_t index : {0U, 3U, 6U}) {
    std::optional<ComparedFrame> frame;
    ASSERT_TRUE(testing::wait_until([&] {
      frame = compared.frame_for(at(0.0, index));
      return frame && frame->frame.stamp.source_index == index;
    }));
    EXPECT_EQ(frame->frame.samples.back(), static_cast<std::byte>(index));
    EXPECT_EQ(frame->frame.samples.size(), compared.opened()->source->acquisition()->frame_bytes());
  }
}

TEST(ComparedSource, SaysWhyAFrameCannotBeRead) {
  ComparedSource compared;
  compared.use(opened(std::make_shared<WrittenFrames>()));
  testing::wait_until([&] {
    try {
      (void)compared.frame_for(at(0.0, 7));
      return false;
    } catch (const Error&) {
      return true;
    }
  });
}

}  // namespace
}  // namespace echoloop::compared_source_test
