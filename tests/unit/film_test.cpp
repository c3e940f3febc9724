// Films: what a player sees is what was given, and nothing half written is ever left.
#include "history/film.h"

#include <gtest/gtest.h>

#include <random>

#include "gui/figure/figure.h"
#include "support/film_file.h"
#include "support/one_line.h"
#include "support/resource_limit.h"
#include "support/temporary_folder.h"

namespace echoloop::film_test {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

constexpr int kWidth = 96, kHeight = 64;

// Gray steps across, another one each image.
std::vector<std::uint8_t> steps(int number) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(((i % kWidth) / 16 * 40 + number * 5) % 256));
  }
  return rgb;
}

FilmFormat format_of(const std::filesystem::path& path) {
  return {.path = path, .width = kWidth, .height = kHeight, .rate_hz = 20.0, .about = {{"title", "Steps"}}};
}

TEST(FilmName, OnlyWhatAFilmCanHave) {
  expect_refusal([] { check_film_name("film.avi"); }, ".mp4, .webm or .mkv");
  expect_refusal([] { check_film_name("film"); }, "no file extension");
  if (why_no_films().empty()) {
    check_film_name("film.mp4");
  } else {
    expect_refusal([] { check_film_name("film.mp4"); }, "ffmpeg");
  }
}

TEST(Film, IsWhatAPlayerSees) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  for (const char* name : {"film.mp4", "film.webm", "film.mkv"}) {
    const TemporaryFolder folder;
    Film film(format_of(folder / name));
    for (int i = 0; i < 12; ++i) film.add(steps(i));
    film.finish();
    EXPECT_FALSE(film.codec().empty());
    EXPECT_EQ(folder.files(), 1U) << name;
    const testing::FilmFile read = testing::read_film(folder / name);
    ASSERT_EQ(read.luma.size(), 12U) << name;
    EXPECT_EQ(read.width, kWidth);
    EXPECT_EQ(read.height, kHeight);
    EXPECT_NEAR(read.rate_hz, 20.0, 0.01) << name;
    EXPECT_EQ(read.title, "Steps");
    for (std::size_t i = 0; i < 12; ++i) {
      const std::vector<std::uint8_t> given = steps(static_cast<int>(i));
      for (const int x : {8, 40, 88})
        EXPECT_NEAR(read.gray(i, x, 30), given[3 * (30 * kWidth + static_cast<std::size_t>(x))], 3) << name << i;
    }
  }
}

TEST(Film, SpeckleStaysWithinAFewGrays) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  std::mt19937 random(7);
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < kWidth * kHeight; ++i) rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(random() % 256));
  Film film(format_of(folder / "film.mp4"));
  film.add(rgb);
  film.finish();
  const testing::FilmFile read = testing::read_film(folder / "film.mp4");
  ASSERT_EQ(read.luma.size(), 1U);
  double sum = 0.0;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    sum += std::abs(read.gray(0, i % kWidth, i / kWidth) - rgb[3 * static_cast<std::size_t>(i)]);
  }
  EXPECT_LT(sum / (kWidth * kHeight), 3.0) << "mean difference of gray";
}

TEST(Film, WithoutAnEndLeavesNothingAndTheOldFileStays) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  {
    Film film(format_of(folder / "film.mp4"));
    film.add(steps(0));
    film.finish();
  }
  const auto size = std::filesystem::file_size(folder / "film.mp4");
  {
    Film film(format_of(folder / "film.mp4"));
    for (int i = 0; i < 30; ++i) film.add(steps(i));
  }
  EXPECT_EQ(std::filesystem::file_size(folder / "film.mp4"), size);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(Film, UnwritablePlacesAreOneLine) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder folder;
  expect_refusal([&] { Film film(format_of(folder / "none/film.mp4")); }, "none/film.mp4");
  expect_refusal([&] { Film film(format_of("/proc/no-such-place/film.webm")); }, "film.webm");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Film, AFullDiskIsOneLineAndLeavesNothing) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  for (const char* name : {"film.mp4", "film.webm", "film.mkv"}) {
    const TemporaryFolder folder;
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 20'000);
    std::mt19937 random(7);
    expect_refusal(
        [&] {
          Film film(format_of(folder / name));
          for (int i = 0; i < 60; ++i) {
            std::vector<std::uint8_t> rgb = steps(i);
            for (std::uint8_t& value : rgb) value = static_cast<std::uint8_t>(random() % 256);
            film.add(rgb);
          }
          film.finish();
        },
        name);
    EXPECT_EQ(folder.files(), 0U) << name;
  }
}

struct Levels {
  std::vector<float> pixels;
  Image image;
  Levels() : pixels(static_cast<std::size_t>(61 * 41)) {
    image.grid = {.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.005, .z1_m = 0.035, .nx = 61, .nz = 41};
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = -static_cast<float>(i % 61);
    image.stamp.sequence = 1234;
    image.host_db = pixels.data();
  }
};

TEST(FilmPicture, ShowsTheLevelsInTrueShape) {
  const Levels levels;
  FilmPainter painter({.grid = levels.image.grid, .display = {}, .source = "A source", .note = ""});
  const RgbImage& picture = painter.paint(levels.image);
  EXPECT_EQ(picture.width % 2 + picture.height % 2, 0);
  EXPECT_GE(picture.height, 1000);
  EXPECT_LE(picture.height, 1080);
  const PixelArea& a = painter.area();
  EXPECT_GE(a.x1 - a.x0, 2 * 61);
  EXPECT_NEAR((a.y1 - a.y0) * 20.0, (a.x1 - a.x0) * 30.0, 30.0);  // 20 mm across, 30 mm down
  for (const double share : {0.25, 0.5, 0.75}) {                  // 0 dB at the left, -60 dB at the right edge
    const int x = a.x0 + static_cast<int>(share * (a.x1 - a.x0));
    const std::size_t at = 3 * static_cast<std::size_t>((a.y0 + a.y1) / 2 * picture.width + x);
    EXPECT_NEAR(picture.rgb[at], 255.0 * (1.0 - share), 2.0);
  }
}

TEST(FilmPicture, EveryGridHasItsPlace) {
  for (const Grid& grid : {Grid{-0.01, 0.01, 0.0, 0.2, 31, 301}, Grid{-0.05, 0.05, 0.0, 0.01, 501, 31},
                           Grid{0.0, 0.0, 0.01, 0.02, 1, 11}}) {
    std::vector<float> pixels(grid.pixels(), -20.0F);
    Image image;
    image.grid = grid;
    image.host_db = pixels.data();
    FilmPainter painter({.grid = grid, .display = {}, .source = std::string(300, 'n'), .note = "2× slower"});
    const RgbImage& picture = painter.paint(image);
    EXPECT_LE(picture.width, 1920);
    EXPECT_LE(picture.height, 1080);
    EXPECT_EQ(picture.rgb.size(), 3 * static_cast<std::size_t>(picture.width * picture.height));
    const Levels other;  // the parameters changed while filming
    EXPECT_EQ(painter.paint(other.image).width, picture.width);
  }
}

}  // namespace
}  // namespace echoloop::film_test
