// The stages of a frame's life, in order; the vocabulary of timings, traces and the report.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echoloop {

// produce: the source writes a frame. upload: host to device. load: extra work that somebody asked for
// (core/injection.h). condition .. compress: the signal chain. present: the picture goes into its texture. draw: the
// window's own frame. vsync: a moment, the window's picture changed.
enum class Stage : std::uint8_t {
  produce,
  upload,
  load,
  condition,
  beamform,
  envelope,
  compress,
  present,
  draw,
  vsync
};
inline constexpr int kStageCount = 10;
inline constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "produce", "upload", "load", "condition", "beamform", "envelope", "compress", "present", "draw", "vsync"};

}  // namespace echoloop
