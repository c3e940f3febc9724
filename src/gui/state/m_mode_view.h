// What the window and the application tell each other about the M-mode. Part of UiState. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace echoloop {

class MModeColumns;

// From one moment and depth of the strip to another.
struct MModeCaliper {
  double time0_s = 0.0, depth0_m = 0.0;  // on the clock of MModeColumns
  double time1_s = 0.0, depth1_m = 0.0;
  friend bool operator==(const MModeCaliper&, const MModeCaliper&) = default;
};

// Frozen: kept frames that are beamformed again along the line.
struct MModeProgress {
  std::size_t done = 0, all = 0;
  bool under_way = false;
  bool failed = false;
};

struct MModeView {
  // Set by the window.
  bool wanted = false;                    // the strip is on screen or goes on beside another
  bool cancelled = false;                 // no more kept frames are to be beamformed for this line
  const MModeColumns* columns = nullptr;  // those that it has; null = none
  std::vector<MModeCaliper> calipers;     // oldest first
  std::uint64_t lines = 0;                // counts up when the calipers of a line have gone with it
  // Filled by the application.
  MModeProgress progress;
};

}  // namespace echoloop
