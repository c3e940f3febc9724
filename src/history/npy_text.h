// What the exports of pictures, of flow and of objects share.
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
