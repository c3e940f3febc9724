// How often each level, in dB, occurs in an image. Every pixel counts once, also on a polar grid, where pixels differ
// in area. And the level at and below which a pixel says nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/hd.h"

namespace echoloop {

// Pixels at or below it received nothing at all.
inline constexpr double kNoEcho_db = -300.0;

struct LevelHistogram {
  double first_db = 0.0;  // lower edge of the first bin
  double step_db = 1.0;
  std::vector<std::uint32_t> counts = {};
  std::uint64_t below = 0;    // the first bin, those without any echo included
  std::uint64_t above = 0;    // the last bin
  std::uint64_t without = 0;  // not a number
  friend bool operator==(const LevelHistogram&, const LevelHistogram&) = default;
};

// Place among n_bins + 3 counts: a bin, then below the first, above the last, not a number. Host and device.
ECHO_HD int histogram_place(float db, float first_db, float per_db, int n_bins) {
  const float at = (db - first_db) * per_db;
  if (at >= 0.0f && at < static_cast<float>(n_bins)) return static_cast<int>(at);
  if (at < 0.0f) return n_bins;
  return at > 0.0f ? n_bins + 1 : n_bins + 2;
}

// Counts levels into so many bins from h.first_db on, h.step_db wide each; what `h` counted before is forgotten.
void count_levels(std::span<const float> db, int n_bins, LevelHistogram& h);

}  // namespace echoloop
