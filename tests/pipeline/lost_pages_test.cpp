// Kept frames of a mapped recording whose file became shorter: the inspector, the fine grid of points and a saved video
// name the fault in their lines, and the stream goes on.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/outputs/measured_values.h"
#include "app/outputs/save_queue.h"
#include "formats/base/mapping.h"
#include "history/film.h"
#include "source/phantom.h"
#include "support/streaming.h"
#include "support/temporary_folder.h"

namespace echoloop::lost_pages_test {
namespace {

namespace fs = std::filesystem;
using testing::share;
using testing::wait_until;

class LostPagesOfAFrame : public ::testing::Test {
 protected:
  LostPagesOfAFrame() {
    wait_until([this] { return session_.counts().processed > 0 && images_.take(); });
    const Image& image = images_.front();
    const auto phantom = make_phantom({.name = "points"});  // the stream reads its own
    std::vector<std::byte> memory(phantom->acquisition()->frame_bytes());
    const auto samples = phantom->at(image.stamp.source_index, memory);
    testing::write_text_file(file_,
                             std::string(reinterpret_cast<const char*>(samples.data()), samples.size()));  // as it is
    mapped_ = MappedFile::open(file_);
  }
  ~LostPagesOfAFrame() override {
    session_.stop();
    EXPECT_EQ(session_.fault(), "");
    testing::expect_counts_add_up(session_.counts());
  }
  // The frame of the image, in the file.
  [[nodiscard]] KeptFrame kept() const {
    return {.frame = {.stamp = images_.front().stamp, .samples = mapped_->bytes()}, .owner = mapped_};
  }
  void lose_the_file() const { fs::resize_file(file_, 0); }

  static ImagingParams params(const Acquisition& acquisition) {
    ImagingParams p = testing::small_picture(acquisition, 128, 256);
    p.refine.persistence_s = 0.0;
    return p;
  }

  const testing::TemporaryFolder folder_;
  const fs::path file_ = folder_ / "frame.bin";
  std::shared_ptr<SeekableSource> source_ = make_phantom({.name = "points"});
  std::unique_ptr<Backend> backend_ = make_cpu_backend(2);
  Mailbox<Image> images_;
  PastImages past_;
  InspectionAnswers answers_;
  TimingTrace trace_;
  std::shared_ptr<const MappedFile> mapped_;
  Session session_{*backend_,
                   source_,
                   images_,
                   trace_,
                   {.stream = {.rate_hz = 20.0, .inject = {}},
                    .params = params(*source_->acquisition()),
                    .host_copy = HostCopy::made,
                    .past = &past_,
                    .inspections = &answers_}};
};

constexpr const char* kLost = "frame.bin: a part of the file cannot be read";

TEST_F(LostPagesOfAFrame, TheInspectorNamesTheFile) {
  const auto answer_of = [&](std::uint64_t number) {
    const KeptFrame frame = kept();
    session_.inspect({.frame = frame.frame,
                      .owner = frame.owner,
                      .params = params(*source_->acquisition()),
                      .at = {0.0, 20e-3},
                      .pictures = {},
                      .number = number});
    wait_until([&] { return answers_.take() && answers_.front().complete && answers_.front().number == number; });
    return answers_.front();
  };
  EXPECT_EQ(answer_of(1).refusal, "");
  lose_the_file();
  const std::string refusal = answer_of(2).refusal;
  EXPECT_NE(refusal.find(kLost), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
}

TEST_F(LostPagesOfAFrame, APointKeepsTheNumbersOfTheImageAndTheReason) {
  const PlanePoint wire = points_phantom_wires({.name = "points"}).front();
  const Marks marks{.list = {{.number = 1, .kind = MarkKind::point, .points = {wire}}}};
  const auto measured = [&] { return measure_image(images_.front(), marks, {.session = &session_, .kept = kept()}); };
  const Measured whole = measured();
  ASSERT_EQ(whole.fine.size(), 1U);
  EXPECT_TRUE(whole.fine.front().spread.has_value()) << whole.fine.front().why_not;
  lose_the_file();
  const Measured lost = measured();
  ASSERT_EQ(lost.fine.size(), 1U);
  EXPECT_FALSE(lost.fine.front().spread.has_value());
  EXPECT_EQ(lost.fine.front().why_not, "the frame could not be read or processed");
  ASSERT_EQ(lost.points.size(), 1U);
  EXPECT_TRUE(lost.points.front().echo.spread.has_value());
  EXPECT_NE(session_.take_refusal().find(kLost), std::string::npos);
}

// Frames that could not be read are left out and counted.
class VideoOfAFrame : public LostPagesOfAFrame {
 protected:
  VideoOfAFrame() {
    if (!why_no_films().empty()) return;
    std::vector<CineFilm::Frame> frames;
    for (std::uint64_t place : {0U, 1U, 4U}) frames.push_back({.kept = kept(), .place = place, .ensemble = {}});
    film_.emplace(FilmOrder{.path = folder_ / "a.mp4", .source = "Points", .display = {}}, std::move(frames),
                  params(*source_->acquisition()), 2);
  }
  std::string result() {
    wait_until([&] {
      film_->ask(session_);
      return film_->done();
    });
    return film_->result();
  }
  std::optional<CineFilm> film_;
};

TEST_F(VideoOfAFrame, CountsTheFramesThatCouldNotBeRead) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const std::string line = result();
  EXPECT_TRUE(line.ends_with("; 2 frames skipped: the recording cannot be read there")) << line;
  EXPECT_NE(line.find(", 5 frames at "), std::string::npos) << line;
  EXPECT_FALSE(film_->failed());
  EXPECT_FALSE(film_->complete());
  EXPECT_TRUE(fs::exists(folder_ / "a.mp4"));
}

TEST_F(VideoOfAFrame, FailsWhereAFrameIsLostMeanwhile) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  lose_the_file();
  const std::string line = result();
  EXPECT_EQ(line, "Video a.mp4 failed: a history frame could not be processed");
  EXPECT_TRUE(film_->failed());
  EXPECT_FALSE(fs::exists(folder_ / "a.mp4"));
}

}  // namespace
}  // namespace echoloop::lost_pages_test
