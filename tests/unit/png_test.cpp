// PNG files, read back by a reader that shares nothing with the writer but zlib's format.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <map>

#include "history/export.h"
#include "support/temporary_folder.h"

namespace echoloop::png_test {
namespace {

using testing::read_text;
using testing::TemporaryFolder;

struct PngFile {
  int width = 0, height = 0, bits = 0, channels = 0;
  std::vector<std::uint8_t> bytes;
  std::map<std::string, std::string> texts;
  unsigned int per_m_x = 0, per_m_y = 0;
};

PngFile read_png(const std::filesystem::path& path) {
  PngFile file;
  std::FILE* from = std::fopen(path.c_str(), "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, from);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  file.width = static_cast<int>(png_get_image_width(png, info));
  file.height = static_cast<int>(png_get_image_height(png, info));
  file.bits = png_get_bit_depth(png, info);
  file.channels = png_get_channels(png, info);
  png_bytepp rows = png_get_rows(png, info);
  for (int y = 0; y < file.height; ++y)
    file.bytes.insert(file.bytes.end(), rows[y], rows[y] + png_get_rowbytes(png, info));
  png_textp texts = nullptr;
  const int n = png_get_text(png, info, &texts, nullptr);
  for (int i = 0; i < n; ++i) file.texts[texts[i].key] = texts[i].text;
  file.per_m_x = png_get_x_pixels_per_meter(png, info);
  file.per_m_y = png_get_y_pixels_per_meter(png, info);
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(from);
  return file;
}

TEST(WritePng, HoldsThePixels) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 7 * 5 * 3; ++i) rgb.push_back(static_cast<std::uint8_t>(i * 37));
  write_png(folder / "a.png", 7, 5, rgb);
  const PngFile read = read_png(folder / "a.png");
  EXPECT_EQ(read.width, 7);
  EXPECT_EQ(read.height, 5);
  EXPECT_EQ(read.bits, 8);
  EXPECT_EQ(read.channels, 3);
  EXPECT_EQ(read.bytes, rgb);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WritePng16, LevelsCanBeReadBack) {
  const TemporaryFolder folder;
  std::vector<float> pixels;
  for (int i = 0; i < 21 * 11; ++i) pixels.push_back(5.0F - 0.37F * static_cast<float>(i));
  pixels[50] = std::nanf("");
  Image image;
  image.grid = {.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.002, .z1_m = 0.022, .nx = 21, .nz = 11};
  image.params.display.dynamic_range_db = 70.0;
  image.host_db = pixels.data();
  write_png16(folder / "a.png", image, {{"Source", "sim:points"}, {"Name", "Größe µm"}});
  const PngFile read = read_png(folder / "a.png");
  ASSERT_EQ(read.bytes.size(), 2 * pixels.size());
  EXPECT_EQ(read.width, 21);
  EXPECT_EQ(read.height, 11);
  EXPECT_EQ(read.bits, 16);
  EXPECT_EQ(read.channels, 1);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const double level_db = -70.0 + (read.bytes[2 * i] * 256 + read.bytes[2 * i + 1]) * 70.0 / 65535;
    const double expected = std::isnan(pixels[i]) ? -70.0 : std::clamp(static_cast<double>(pixels[i]), -70.0, 0.0);
    EXPECT_NEAR(level_db, expected, 0.6e-3) << i;
  }
  EXPECT_EQ(read.per_m_x, 1000U);  // 20 mm in 20 steps
  EXPECT_EQ(read.per_m_y, 500U);
  EXPECT_EQ(read.texts.at("Level"), "dB = -70 + value * 70 / 65535");
  EXPECT_EQ(read.texts.at("Source"), "sim:points");
  EXPECT_EQ(read.texts.at("Name"), "Größe µm");
  EXPECT_EQ(read.texts.at("z_last_m"), "0.022");
}

}  // namespace
}  // namespace echoloop::png_test
