// What the exports of images, of flow and of objects share.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/frame.h"

namespace echoloop {

// What comes before the values of an array, numpy.lib.format version 1.0: `type` "<f4", "<i4" or "<i2", `shape` as
// numpy prints it, without the brackets. At least so many bytes long, the rest filled with spaces: for a head that is
// written again when the array has become longer.
std::string npy_head(const std::string& type, const std::string& shape, std::size_t least_bytes = 0);

// float32 or int32 array, numpy.lib.format version 1.0. `shape`: as numpy prints it, without the brackets; the parts
// follow each other.
std::string npy_text(const std::string& shape, std::initializer_list<std::span<const float>> parts);
std::string npy_text(const std::string& shape, std::span<const std::int32_t> values);

struct NamedText {
  std::filesystem::path path;
  std::string text;
};
// Two files that belong together. Throws as write_file(); a disk that is full leaves neither.
void write_pair(const std::array<NamedText, 2>& files);

nlohmann::json frame_json(const FrameStamp& stamp);

}  // namespace echoloop
