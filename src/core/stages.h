// The stages of a frame's life, in order; the vocabulary of timings, traces and the report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echoloop {

// produce: the source writes a frame. upload: host to device. load: extra work that somebody asked for
// (core/injection.h). condition .. compress: the signal chain. refine: filters of the image, where any are on.
// present: the image goes into its texture. draw: the window's own frame. vsync: a moment, the window's image
// changed.
enum class Stage : std::uint8_t {
  produce,
  upload,
  load,
  condition,
  beamform,
  envelope,
  compress,
  refine,
  present,
  draw,
  vsync
};
inline constexpr Stage kLastOfFrame = Stage::refine;

// The rows of a timeline, in order; several of kernels where lanes work side by side.
enum class RowKind { producer, copy, kernels, texture, window, vsync };

struct StageRow {
  std::string_view key;    // in reports, traces and tables
  std::string_view label;  // in the panel of timings
  std::string_view title;  // of its block in the timeline: what happens in that row
  RowKind row;
  std::uint32_t color;  // 0xRRGGBB, in timeline, panels and profilers
};
// In the order of their values. Of what is no stage of the signal chain the colours are neutral; every two differ by at
// least 10 (CIEDE2000), also as a deuteranope sees them (tests/unit/theme_test.cpp).
inline constexpr auto kStages = std::to_array<StageRow>({
    {"produce", "Produce", "Produce", RowKind::producer, 0x7E8282},
    {"upload", "Upload", "Copy", RowKind::copy, 0x6188E4},
    {"load", "Extra load", "Extra load", RowKind::kernels, 0x61635B},
    {"condition", "Condition", "Condition", RowKind::kernels, 0x53B69E},
    {"beamform", "Beamform", "Beamform", RowKind::kernels, 0xB494E8},
    {"envelope", "Envelope", "Envelope", RowKind::kernels, 0xDFC660},
    {"compress", "Compress", "Compress", RowKind::kernels, 0xCD6FAA},
    {"refine", "Refine", "Refine", RowKind::kernels, 0xD9905F},
    {"present", "Present", "Texture", RowKind::texture, 0xB0BBC9},
    {"draw", "Draw", "Window", RowKind::window, 0x5B6771},
    {"vsync", "Vsync", "Vsync", RowKind::vsync, 0xE8ECEF},
});
inline constexpr int kStageCount = static_cast<int>(kStages.size());
constexpr const StageRow& row_of(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

// The stages that may be a frame's last one before it is an image.
constexpr bool ends_frame(Stage stage) { return stage >= Stage::compress && stage <= kLastOfFrame; }

}  // namespace echoloop
