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
inline constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "produce", "upload", "load", "condition", "beamform", "envelope", "compress", "refine", "present", "draw", "vsync"};

// The stages that may be a frame's last one before it is a picture.
constexpr bool ends_frame(Stage stage) { return stage == Stage::compress || stage == Stage::refine; }

}  // namespace echoloop
