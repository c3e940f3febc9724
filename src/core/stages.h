// The stages of a frame's life, in order; the vocabulary of timings, traces and the report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echoloop {

// produce: the source writes a frame. upload: host to device. load: extra work that somebody asked for
// (core/injection.h). condition .. compress: the signal chain. refine: filters of the picture, where any are on.
// present: the picture goes into its texture. draw: the window's own frame. vsync: a moment, the window's picture
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
inline constexpr int kStageCount = 11;
inline constexpr Stage kLastOfFrame = Stage::refine;

// The rows of a timeline, in order; several of kernels where lanes work side by side.
enum class RowKind { producer, copy, kernels, texture, window, vsync };

struct StageRow {
  std::string_view key;    // in reports, traces and tables
  std::string_view label;  // in the panel of timings
  std::string_view title;  // of its block in the timeline: what happens in that row
  RowKind row;
};
inline constexpr std::array<StageRow, kStageCount> kStages{{
    {"produce", "Produce", "Produce", RowKind::producer},
    {"upload", "Upload", "Copy", RowKind::copy},
    {"load", "Extra load", "Extra load", RowKind::kernels},
    {"condition", "Condition", "Condition", RowKind::kernels},
    {"beamform", "Beamform", "Beamform", RowKind::kernels},
    {"envelope", "Envelope", "Envelope", RowKind::kernels},
    {"compress", "Compress", "Compress", RowKind::kernels},
    {"refine", "Refine", "Refine", RowKind::kernels},
    {"present", "Present", "Texture", RowKind::texture},
    {"draw", "Draw", "Window", RowKind::window},
    {"vsync", "Vsync", "Vsync", RowKind::vsync},
}};
constexpr const StageRow& row_of(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

// The stages that may be a frame's last one before it is a picture.
constexpr bool ends_frame(Stage stage) { return stage == Stage::compress || stage == kLastOfFrame; }

}  // namespace echoloop
