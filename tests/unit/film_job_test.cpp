// A film made beside something else: nothing waits that should not, everything comes that should, a cancelled one
// leaves nothing.
#include "app/outputs/film_job.h"

#include <gtest/gtest.h>

#include "history/film.h"
#include "support/film_file.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::film_job_test {
namespace {

using testing::TemporaryFolder;

struct OneImage {
  std::vector<float> pixels = std::vector<float>(std::size_t{33} * 33, -20.0F);
  Image image;
  OneImage() {
    image.grid = {.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.0, .z1_m = 0.02, .nx = 33, .nz = 33};
    image.host_db = pixels.data();
  }
};

FilmOrder order_for(const std::filesystem::path& path) {
  return {.path = path, .source = "A source", .display = {}, .rate_hz = 25.0, .note = {}, .named = "sim:heart"};
}

TEST(FilmPace, IsTheRecordingsUpToSixty) {
  Acquisition acquisition;
  acquisition.frame_rate_hz = 40.0;
  SourceInfo source;
  source.acquisition = std::make_shared<Acquisition>(acquisition);
  FilmOrder order;
  pace_film(order, source);
  EXPECT_EQ(order.rate_hz, 40.0);
  EXPECT_EQ(order.note, "");
  acquisition.frame_rate_hz = 1200.0;
  source.acquisition = std::make_shared<Acquisition>(acquisition);
  pace_film(order, source);
  EXPECT_EQ(order.rate_hz, 60.0);
  EXPECT_EQ(order.note, "20× slower");
  source.acquisition = nullptr;
  pace_film(order, source);
  EXPECT_EQ(order.rate_hz, 25.0);
}

TEST(FilmJob, WithoutAPictureOrAPlaceItSaysSo) {
  const TemporaryFolder folder;
  FilmJob empty(order_for(folder / "a.mp4"));
  empty.end();
  empty.wait();
  testing::expect_refusal([&] { std::rethrow_exception(empty.failure()); }, "a.mp4");
  const OneImage one;
  FilmJob nowhere(order_for(folder / "none/a.mp4"));
  for (int i = 0; i < 40; ++i) nowhere.offer(one.image, WhenFull::wait);  // does not wait for what will not come
  nowhere.end();
  nowhere.wait();
  testing::expect_refusal([&] { std::rethrow_exception(nowhere.failure()); }, "a.mp4");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(FilmJob, EveryPictureOrAsManyAsItCan) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  const OneImage one;
  FilmJob patient(order_for(folder / "a.mp4"));
  for (int i = 0; i < 20; ++i) patient.offer(one.image, WhenFull::wait);
  patient.end();
  patient.wait();
  EXPECT_EQ(patient.failure(), nullptr);
  EXPECT_EQ(patient.written(), 20U);
  EXPECT_EQ(patient.left_out(), 0U);
  EXPECT_EQ(patient.report()["frames"], 20);
  EXPECT_NE(patient.summary().find("20 frames at 25 frames/s"), std::string::npos) << patient.summary();
  FilmJob hasty(order_for(folder / "b.mp4"));
  for (int i = 0; i < 200; ++i) hasty.offer(one.image, WhenFull::leave_out);
  hasty.end();
  hasty.wait();
  EXPECT_EQ(hasty.written() + hasty.left_out(), 200U);
  EXPECT_GT(hasty.left_out(), 0U);
  EXPECT_EQ(folder.files(), 2U);
}

// Of ten frames each third one was processed: the others are held, numbers that begin again go on.
TEST(FilmJob, IsAsLongAsTheAcquisition) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  OneImage one;
  FilmJob job(order_for(folder / "a.mp4"));
  for (const std::uint64_t sequence : {100, 103, 106, 109, 0, 2}) {
    one.image.stamp.sequence = sequence;
    job.offer(one.image, WhenFull::wait);
  }
  job.end();
  job.wait();
  EXPECT_EQ(job.drawn(), 6U);
  EXPECT_EQ(job.written(), 13U);
  EXPECT_EQ(job.report()["frames"], 13);
  EXPECT_EQ(job.report()["held"], 7);
  EXPECT_EQ(testing::read_film(folder / "a.mp4").luma.size(), 13U);
}

TEST(FilmJob, ACancelledOneLeavesNothing) {
  const TemporaryFolder folder;
  const OneImage one;
  FilmJob job(order_for(folder / "a.mp4"));
  for (int i = 0; i < 12; ++i) job.offer(one.image, WhenFull::wait);
  job.cancel();
  job.wait();
  EXPECT_EQ(folder.files(), 0U);
  {
    FilmJob forgotten(order_for(folder / "b.mp4"));
    forgotten.offer(one.image, WhenFull::wait);
  }
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace echoloop::film_job_test
