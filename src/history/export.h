// Numbers on disk: .npy images with their JSON, text. Every file is written under a temporary name
// and renamed when complete, so that nothing is ever half written. Errors (full disk, no such folder) are one Error
// each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/results/image.h"

namespace echoloop {

// Writes `bytes` to `path` by way of a temporary file beside it.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, const std::string& text);

// float32 dB, shape [nz][nx], and beside it the same name with .json: grid, parameters, and what `about` holds.
void write_image_npy(const std::filesystem::path& path, const Image& image, const nlohmann::json& about);

nlohmann::json params_json(const ImagingParams& params);  // {key: value}, SI units, names for choices
nlohmann::json grid_json(const Grid& grid);

}  // namespace echoloop
