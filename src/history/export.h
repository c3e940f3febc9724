// Numbers on disk: .npy images with their JSON, text. Every file is written under a temporary name
// and renamed when complete, so that nothing is ever half written. Errors (full disk, no such folder) are one Error
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/results/image.h"
#include "render/palette.h"

namespace echoloop {

// Writes `bytes` to `path` by way of a temporary file beside it.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, const std::string& text);

// float32 dB, shape [nz][nx], and beside it the same name with .json: grid, parameters, and what `about` holds.
void write_image_npy(const std::filesystem::path& path, const Image& image, const nlohmann::json& about);

nlohmann::json params_json(const ImagingParams& params);  // {key: value}, SI units, names for choices
nlohmann::json grid_json(const Grid& grid);

// JSON as text for a file. Names of files need not be UTF-8, which JSON must be: what is not becomes U+FFFD, so that a
// name never costs the report of a run. Pure.

// indent -1: on one line.
inline std::string json_text(const nlohmann::json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

// PNG files: images as displayed, 8 bit a channel, and levels in 16 bit that numbers can be got back from.

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
