// The stages of a frame's life, in order; the vocabulary of timings, traces and the report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echoloop {

enum class Stage : std::uint8_t { produce, upload, condition, beamform, envelope, compress, present };
inline constexpr int kStageCount = 7;
inline constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "produce", "upload", "condition", "beamform", "envelope", "compress", "present"};

}  // namespace echoloop
