// What the exports of pictures, of flow and of objects share.
#pragma once

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
void write_npy(const std::filesystem::path& path, const std::string& shape,
               std::initializer_list<std::span<const float>> parts);
void write_npy(const std::filesystem::path& path, const std::string& shape, std::span<const std::int32_t> values);

nlohmann::json frame_json(const FrameStamp& stamp);

}  // namespace echoloop
