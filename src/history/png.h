// PNG files: images as displayed, 8 bit a channel, and levels in 16 bit that numbers can be got back from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/results/image.h"
#include "render/rgb.h"

namespace echoloop {

using PngTexts = std::vector<std::pair<std::string, std::string>>;  // keyword (Latin, at most 79 letters), text

// `rgb`: [height][width][3], top row first. Throws Error, like everything here.
void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb);
// With its printed size (pHYs) and texts.
void write_png(const std::filesystem::path& path, const RgbImage& picture, double dpi, const PngTexts& texts);
std::vector<std::byte> png_bytes(const RgbImage& picture);  // the file, without either

// The image's levels at the grid's own pixels, 16 bit gray: 0 is -dynamic_range_db and less, 65535 is 0 dB and more,
// linear in between; not a number is 0. With the pixels' size (pHYs; x and z apart) and the range in words, then
// `texts`.
void write_png16(const std::filesystem::path& path, const Image& image, const PngTexts& texts);

}  // namespace echoloop
