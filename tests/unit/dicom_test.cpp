// DICOM files, read here by the standard (PS3.5, explicit types, little-endian) and not by the library that wrote them.
#include "app/outputs/dicom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "app/outputs/screen_image.h"
#include "support/level_images.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::dicom_test {
namespace {

using testing::TemporaryFolder;

constexpr std::uint32_t kPixels = 0x7FE0'0010, kRegions = 0x0018'6011, kFrames = 0x0028'0008;

// Elements of a file by group and element; those of the one item of a sequence too.
struct Elements {
  explicit Elements(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(bytes.substr(128, 4), "DICM");
    if (bytes.size() > 132) read(std::string_view(bytes).substr(132));
  }
  std::map<std::uint32_t, std::string> values;

  template <class T>
  static T number_at(std::string_view bytes, std::size_t at) {
    T value{};
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, &bytes[at], sizeof value);
    return value;
  }
  void read(std::string_view bytes) {
    while (bytes.size() >= 8) {
      const std::uint32_t key =
          std::uint32_t{number_at<std::uint16_t>(bytes, 0)} << 16 | number_at<std::uint16_t>(bytes, 2);
      if (key >> 16 == 0xFFFE) {  // an item of a sequence
        bytes.remove_prefix(8);
        continue;
      }
      const std::string_view type = bytes.substr(4, 2);
      const bool longer = type == "OB" || type == "OW" || type == "SQ" || type == "UN" || type == "UT";
      const std::size_t begin = longer ? 12 : 8;
      const std::size_t size = longer ? number_at<std::uint32_t>(bytes, 8) : number_at<std::uint16_t>(bytes, 6);
      ASSERT_LE(begin + size, bytes.size());
      ASSERT_EQ(size % 2, 0U);
      values[key] = bytes.substr(begin, size);
      if (type == "SQ") read(bytes.substr(begin, size));
      bytes.remove_prefix(begin + size);
    }
  }
  // Text without its padding.
  [[nodiscard]] std::string text(std::uint32_t key) const {
    EXPECT_TRUE(values.contains(key)) << std::hex << key;
    std::string value = values.contains(key) ? values.at(key) : std::string();
    while (!value.empty() && (value.back() == ' ' || value.back() == '\0')) value.pop_back();
    return value;
  }
  template <class T>
  [[nodiscard]] T number(std::uint32_t key) const {
    EXPECT_TRUE(values.contains(key) && values.at(key).size() == sizeof(T)) << std::hex << key;
    return values.contains(key) ? number_at<T>(values.at(key), 0) : T{};
  }
  [[nodiscard]] std::size_t width() const { return number<std::uint16_t>(0x0028'0011); }
  [[nodiscard]] std::size_t height() const { return number<std::uint16_t>(0x0028'0010); }
  // Position of a pixel in cm, by the region's calibration.
  [[nodiscard]] double x_cm(double column) const {
    return number<double>(0x0018'6028) + (column - number<std::int32_t>(0x0018'6020)) * number<double>(0x0018'602C);
  }
  [[nodiscard]] double y_cm(double row) const {
    return number<double>(0x0018'602A) + (row - number<std::int32_t>(0x0018'6022)) * number<double>(0x0018'602E);
  }
  void expect_box(const Grid& grid) const {
    EXPECT_EQ(number<std::uint16_t>(0x0018'6012), 1) << "2D";
    EXPECT_EQ(number<std::uint16_t>(0x0018'6024), 3) << "cm";
    EXPECT_EQ(number<std::uint16_t>(0x0018'6026), 3);
    EXPECT_EQ(number<double>(0x0018'602C), number<double>(0x0018'602E));
    const double last_x = number<std::uint32_t>(0x0018'601C), last_y = number<std::uint32_t>(0x0018'601E);
    EXPECT_EQ(last_x, static_cast<double>(width()) - 1.0);
    EXPECT_EQ(last_y, static_cast<double>(height()) - 1.0);
    const double tenth = 0.1 * number<double>(0x0018'602C);
    EXPECT_NEAR(x_cm(0), 1e2 * grid.x0_m, 1e-9);
    EXPECT_NEAR(x_cm(last_x), 1e2 * grid.x1_m, 1e-9);
    EXPECT_NEAR(y_cm(0), 1e2 * grid.z0_m, 1e-9);
    EXPECT_NEAR(y_cm(last_y), 1e2 * grid.z1_m, tenth);
  }
};

struct Loop {
  explicit Loop(const Grid& grid, const ImagingParams& params = {}) : pixels(grid.pixels()) {
    image.grid = grid;
    image.params = params;
    image.host_db = pixels.data();
    image.stamp.clock = FrameClock::device;
  }
  std::vector<float> pixels;
  Image image;

  // Offers an image of one level.
  void offer(FilmJob& job, double level_db, double time_s, const FlowImage* flow = nullptr) {
    std::ranges::fill(pixels, static_cast<float>(level_db));
    image.stamp.time_s = time_s;
    job.offer(image, WhenFull::wait, flow);
    ++image.stamp.sequence;
  }
};

class Dicom : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = testing::error_of([] { check_dicom_name("a.dcm"); });
    if (why != "no error") GTEST_SKIP() << why;
  }
  [[nodiscard]] FilmOrder order(const ImagingParams& params = {}) const {
    return {.path = folder_ / "a.dcm",
            .source = "Jane_Doe.uff",
            .display = params,
            .flow = is_overlay(params.color_flow.mode) ? FilmFlow::shown : FilmFlow::none,
            .option = "--dicom",
            .make = make_dicom_file};
  }
  Elements finish(FilmJob& job) {
    job.end();
    job.wait();
    EXPECT_EQ(job.failure(), nullptr);
    EXPECT_EQ(folder_.files(), 1U);
    return Elements(folder_ / "a.dcm");
  }
  TemporaryFolder folder_;
};

TEST_F(Dicom, ALoopHasFramesTimeAndScale) {
  Loop loop(testing::kFlat);
  loop.image.params.display.dynamic_range_db = 60.0;
  FilmJob job(order(loop.image.params));
  loop.offer(job, 0.0, 2.0);
  loop.offer(job, -30.0, 2.03);
  loop.image.stamp.sequence += 7;  // missing frames are not repeated
  loop.offer(job, -90.0, 2.08);
  const Elements read = finish(job);
  EXPECT_EQ(read.text(0x0008'0016), "1.2.840.10008.5.1.4.1.1.3.1");
  EXPECT_EQ(read.text(0x0002'0010), "1.2.840.10008.1.2.1") << "explicit types, little-endian";
  EXPECT_EQ(read.text(kFrames), "3");
  EXPECT_NEAR(std::stod(read.text(0x0018'1063)), 40.0, 1e-6) << "ms, measured";
  EXPECT_EQ(read.text(0x0018'0040), "25");
  EXPECT_EQ(read.number<std::uint32_t>(0x0028'0009), 0x1063'0018U) << "the frame time";
  EXPECT_EQ(read.text(0x0028'0004), "MONOCHROME2");
  EXPECT_EQ(read.number<std::uint16_t>(0x0018'6014), 1) << "tissue";
  read.expect_box(testing::kFlat);
  const std::string pixels = read.values.at(kPixels);
  const std::size_t frame = read.width() * read.height();
  ASSERT_EQ(pixels.size(), (3 * frame + 1) / 2 * 2);
  for (const auto& [i, level] : {std::pair<std::size_t, int>{0, 255}, {1, 128}, {2, 0}}) {
    EXPECT_NEAR(static_cast<unsigned char>(pixels[i * frame]), level, 1);
    EXPECT_NEAR(static_cast<unsigned char>(pixels[(i + 1) * frame - 1]), level, 1);
  }
  EXPECT_EQ(job.report()["frames"], 3);
  EXPECT_NEAR(job.report()["rate_hz"].get<double>(), 25.0, 1e-6);
}

TEST_F(Dicom, OneImageIsAStillOfASector) {
  Loop loop(testing::fan());
  FilmJob job(order());
  loop.offer(job, 0.0, 1.0);
  const Elements read = finish(job);
  EXPECT_EQ(read.text(0x0008'0016), "1.2.840.10008.5.1.4.1.1.6.1");
  EXPECT_FALSE(read.values.contains(kFrames));
  EXPECT_FALSE(read.values.contains(0x0018'1063));
  read.expect_box(testing::fan());
  const std::string& pixels = read.values.at(kPixels);
  EXPECT_EQ(pixels.at(0), '\0') << "outside";
  EXPECT_EQ(static_cast<unsigned char>(pixels.at(read.width() * (read.height() - 2) + read.width() / 2)), 255);
}

TEST_F(Dicom, FlowIsInColour) {
  Loop loop(testing::kFlat);
  loop.image.params.color_flow.mode = FlowMode::power;
  FlowImage flow;
  flow.number = 1;
  flow.grid = testing::kFlat;
  flow.params = loop.image.params;
  flow.power_db.assign(flow.grid.pixels(), 0.0F);
  flow.velocity_m_s.assign(flow.grid.pixels(), 0.0F);
  find_flow_mask(flow);
  FilmJob job(order(loop.image.params));
  loop.offer(job, -60.0, 1.0);
  loop.offer(job, -60.0, 1.1, &flow);
  const Elements read = finish(job);
  EXPECT_EQ(read.text(0x0028'0004), "RGB");
  EXPECT_EQ(read.number<std::uint16_t>(0x0028'0006), 0) << "colours of a pixel together";
  EXPECT_EQ(read.number<std::uint16_t>(0x0028'0014), 1) << "colour data";
  EXPECT_EQ(read.number<std::uint16_t>(0x0018'6014), 2) << "colour flow";
  const std::string& pixels = read.values.at(kPixels);
  const std::size_t frame = 3 * read.width() * read.height();
  EXPECT_EQ(pixels.at(frame / 2), pixels.at(frame / 2 + 2));
  EXPECT_NE(pixels.at(frame + 3000), pixels.at(frame + 3002));
  FilmOrder plain = order(loop.image.params);
  plain.flow = FilmFlow::none;
  FilmJob without(plain);
  loop.offer(without, -60.0, 1.0);
  EXPECT_EQ(finish(without).text(0x0028'0004), "MONOCHROME2") << "flow that is not drawn";
}

TEST_F(Dicom, AnImageOnScreenIsAStill) {
  Loop loop(testing::kFlat);
  write_dicom(folder_ / "b.dcm", loop.image, loop.image.params, nullptr);
  EXPECT_EQ(folder_.files(), 1U);
  const Elements read(folder_ / "b.dcm");
  EXPECT_EQ(read.text(0x0008'0016), "1.2.840.10008.5.1.4.1.1.6.1");
  read.expect_box(testing::kFlat);
  EXPECT_EQ(static_cast<unsigned char>(read.values.at(kPixels).at(0)), 255) << "0 dB";
}

TEST_F(Dicom, NothingOfAPatientAndNewIdentifiers) {
  std::set<std::string> uids;
  for (int i = 0; i < 2; ++i) {
    Loop loop(testing::kFlat);
    FilmJob job(order());
    loop.offer(job, 0.0, 1.0);
    const Elements read = finish(job);
    for (const std::uint32_t key : {0x0010'0010U, 0x0010'0020U, 0x0010'0030U, 0x0010'0040U, 0x0008'0050U, 0x0008'0090U})
      EXPECT_EQ(read.text(key), "");
    EXPECT_EQ(read.text(0x0020'0060), "") << "the laterality is there and empty";
    for (const std::uint32_t key : {0x0008'0018U, 0x0020'000DU, 0x0020'000EU}) {
      EXPECT_TRUE(read.text(key).starts_with("2.25.")) << read.text(key);
      uids.insert(read.text(key));
    }
    for (const auto& [key, value] : read.values) EXPECT_EQ(value.find("Jane"), value.npos) << std::hex << key;
    EXPECT_EQ(read.text(0x0020'4000), "Research use, not a medical device");
  }
  EXPECT_EQ(uids.size(), 6U);
}

TEST_F(Dicom, OneGridInAFile) {
  Loop loop(testing::kFlat), other(testing::fan());
  FilmJob job(order());
  loop.offer(job, 0.0, 1.0);
  other.offer(job, 0.0, 1.1);
  loop.offer(job, 0.0, 1.2);
  const Elements read = finish(job);
  EXPECT_EQ(read.text(kFrames), "2");
  EXPECT_TRUE(testing::contains(job.summary(), "2 frames at 5 frames/s, not compressed, 1 image of another grid"));
}

TEST_F(Dicom, WithoutAnImageOrAPlaceItSaysSo) {
  FilmOrder nowhere = order();
  nowhere.path = folder_ / "none/a.dcm";
  for (const bool with_image : {false, true}) {
    Loop loop(testing::kFlat);
    FilmJob job(with_image ? nowhere : order());
    if (with_image) loop.offer(job, 0.0, 1.0);
    job.end();
    job.wait();
    testing::expect_refusal([&] { std::rethrow_exception(job.failure()); }, "a.dcm");
  }
  EXPECT_EQ(folder_.files(), 0U);
}

// Pixels of any image are square, and the last ones end within a tenth of them at the ends of the grid.
TEST(ScreenImage, IsSquareFromEndToEnd) {
  for (const Grid& grid : {testing::kFlat, testing::fan(),
                           Grid{.x0_m = -0.0191, .x1_m = 0.0191, .z0_m = 0.0021, .z1_m = 0.0507, .nx = 129, .nz = 777},
                           Grid{.x0_m = 0.0, .x1_m = 0.04, .z0_m = 0.01, .z1_m = 0.01, .nx = 7, .nz = 1}}) {
    const ScreenImage at = screen_of(grid);
    EXPECT_EQ(at.step_m, at.step_z_m);
    EXPECT_NEAR(at.x0_m + (at.width - 1) * at.step_m, grid.x1_m, 1e-12);
    EXPECT_NEAR(at.z0_m + (at.height - 1) * at.step_m, grid.z1_m, 0.1 * at.step_m);
  }
}

}  // namespace
}  // namespace echoloop::dicom_test
