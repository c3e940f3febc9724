// A recording in a file that anybody may have made. The readers of all formats make one of these; they run in the
// reader process only (reader_process.h), which hands geometry and frames to the viewer.
// Internal to src/formats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

// Of frames that were recorded from a scanner.
struct ScannerRecord {
  std::vector<double> times_s;          // of each frame, by the scanner's clock, not falling; empty: no scanner
  std::uint64_t lost = 0, missing = 0;  // frames between the recorded ones: known to the sender, unaccounted for
};

// Finite, not negative, not falling.
[[nodiscard]] inline bool is_time_axis(std::span<const double> times_s) {
  return std::ranges::all_of(times_s, [](double t) { return std::isfinite(t) && t >= 0.0; }) &&
         std::ranges::is_sorted(times_s);
}

struct LibraryRecording {
  AcquisitionPtr acquisition;  // validated
  std::uint64_t frame_count = 0;
  std::string format;  // in words: "UFF (USTB)", "MATLAB v5 (MUST)"

  // Where every frame lies in the file, in bytes from its beginning, when it lies there exactly as the acquisition says
  // ([transmit][element][sample], little-endian, in one piece, aligned to its numbers): the viewer then maps the file
  // and lends the frames where they are. Empty otherwise.
  std::vector<std::uint64_t> frame_offsets;

  ScannerRecord scanner = {};

  // A JSON description in place of a recording: the name of the array in the same folder. All else is empty then.
  std::string described_file;

  // Writes frame `index` < frame_count into `out`, acquisition->frame_bytes() long. Throws Error. [one thread]
  std::function<void(std::uint64_t index, std::span<std::byte> out)> read_frame;
};

}  // namespace echoloop
