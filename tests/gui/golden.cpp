#include "gui/golden.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

#include "history/export.h"
#include "render/canvas.h"
#include "test_paths.h"

namespace echoloop::testing {
namespace {

// A slider's thumb that moved by 4 pixels changes its tile by at least 20; edges drawn otherwise by at most 6.
constexpr int kTile = 8;
constexpr double kTolerance = 7.0;

std::size_t at(const RgbImage& p, int x, int y) {
  return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x));
}

RgbImage read_rgb(const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  RgbImage picture{};
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0) return picture;
  image.format = PNG_FORMAT_RGB;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0) return {};
  return picture;
}

// Writes a palette image if its colours fit: half the bytes.
void write_small(const std::filesystem::path& file, const RgbImage& p) {
  std::map<std::array<std::uint8_t, 3>, std::uint8_t> palette;
  std::vector<std::uint8_t> colors, pixels;
  for (std::size_t i = 0; i < p.rgb.size(); i += 3) {
    const auto [found, is_new] =
        palette.try_emplace({p.rgb[i], p.rgb[i + 1], p.rgb[i + 2]}, static_cast<std::uint8_t>(palette.size()));
    if (palette.size() > 256) return write_png(file, p.width, p.height, p.rgb);
    if (is_new) colors.insert(colors.end(), found->first.begin(), found->first.end());
    pixels.push_back(found->second);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(p.width);
  image.height = static_cast<png_uint_32>(p.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(palette.size());
  if (png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), 0, colors.data()) == 0) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

double tile_difference(const RgbImage& a, const RgbImage& b, int x0, int y0) {
  double sum = 0;
  int n = 0;
  for (int y = y0; y < std::min(y0 + kTile, a.height); ++y) {
    for (int x = x0; x < std::min(x0 + kTile, a.width); ++x, n += 3) {
      for (std::size_t k = 0; k < 3; ++k) sum += std::abs(a.rgb[at(a, x, y) + k] - b.rgb[at(b, x, y) + k]);
    }
  }
  return sum / n;
}

}  // namespace

RgbImage reduced(const RgbImage& picture, int factor) {
  RgbImage small{};
  small.width = picture.width / factor;
  small.height = picture.height / factor;
  small.rgb.resize(3 * static_cast<std::size_t>(small.width) * static_cast<std::size_t>(small.height));
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      for (std::size_t k = 0; k < 3; ++k) {
        int sum = 0;
        for (int j = 0; j < factor; ++j) {
          for (int i = 0; i < factor; ++i) sum += picture.rgb[at(picture, x * factor + i, y * factor + j) + k];
        }
        const int level = (sum * 15 + 127 * factor * factor) / (255 * factor * factor);
        small.rgb[at(small, x, y) + k] = static_cast<std::uint8_t>(17 * level);
      }
    }
  }
  return small;
}

GoldenDifference compare(const RgbImage& golden, const RgbImage& now) {
  GoldenDifference d;
  if (golden.width != now.width || golden.height != now.height) {
    d.words = fmt::format("{} x {} pixels instead of {} x {}", now.width, now.height, golden.width, golden.height);
    return d;
  }
  for (int y = 0; y < golden.height; y += kTile) {
    for (int x = 0; x < golden.width; x += kTile) {
      const double difference = tile_difference(golden, now, x, y);
      if (difference > kTolerance) ++d.tiles;
      if (difference > d.worst) d.worst = difference, d.x = x, d.y = y;
    }
  }
  if (d.tiles > 0) {
    d.words = fmt::format("{} tiles differ, most of all by {:.1f} of 255 at {}, {} of the small picture", d.tiles,
                          d.worst, d.x, d.y);
  }
  return d;
}

std::string against_golden(const std::string& name, const RgbImage& picture, int factor) {
  const std::filesystem::path file = std::filesystem::path(ECHO_SOURCE_DIR) / "tests/gui/golden" / (name + ".png");
  const RgbImage now = reduced(picture, factor);
  if (std::getenv("ECHOLOOP_REWRITE_GOLDEN") != nullptr) {
    write_small(file, now);
    return {};
  }
  const RgbImage golden = read_rgb(file);
  if (golden.width == 0) return "there is no " + file.string() + "; ECHOLOOP_REWRITE_GOLDEN=1 writes it";
  const GoldenDifference d = compare(golden, now);
  if (d.words.empty()) return {};
  const auto seen = std::filesystem::temp_directory_path() / ("echoloop_golden_" + name + ".png");
  write_png(seen, now.width, now.height, now.rgb);
  return d.words + "; what was drawn: " + seen.string() + ", what was expected: " + file.string() +
         ". If it is as it should be, ECHOLOOP_REWRITE_GOLDEN=1 writes it.";
}

std::string why_no_golden() {
  const FontFamily* family = installed_family();
  if (family != nullptr && std::strcmp(family->name, "Inter") == 0) return {};
  return "the stored pictures are drawn in Inter (fonts-inter), which is not installed here";
}

}  // namespace echoloop::testing
