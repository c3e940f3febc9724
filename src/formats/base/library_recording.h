// A recording in a file that anybody may have made. The readers of all formats make one of these; they run in the
// reader process only (reader_process.h), which hands geometry and frames to the viewer.
// Internal to src/formats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"

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

// The samples that the reader of a format has read, as a description names them: its keys data, imag, shape, axes and
// offset. Without `data`, none does, for the reason in `why_not`; without both, the file is read by a description, or
// by its names.
struct NamedSamples {
  std::string data = {}, imag = {};
  std::vector<std::uint64_t> shape = {};  // empty: as stored
  std::vector<std::string> axes = {};
  double offset = 0.0;
  bool turned = false;  // IQ, whose phase follows time zero from the first firing to the origin
  std::string why_not = {};
};

struct LibraryRecording {
  AcquisitionPtr acquisition;  // validated
  std::uint64_t frame_count = 0;
  std::string format;  // in words: "UFF (USTB)", "MATLAB v5 (MUST)"

  // Where every frame lies in the file, in bytes from its beginning, when it lies there exactly as the acquisition says
  // ([transmit][element][sample], little-endian, in one piece, aligned to its numbers): the viewer then maps the file
  // and lends the frames where they are. Empty otherwise.
  std::vector<std::uint64_t> frame_offsets;

  ScannerRecord scanner = {};
  NamedSamples named = {};
  bool frame_by_frame = false;  // read_frame reads one frame from the file: nothing else is read for it, or unpacked

  // A JSON description in place of a recording: the name of the array in the same folder. All else is empty then.
  std::string described_file;

  // Writes frame `index` < frame_count into `out`, acquisition->frame_bytes() long. Throws Error. [one thread]
  std::function<void(std::uint64_t index, std::span<std::byte> out)> read_frame;
};

// A sound file of a known container whose arrays have no layout that a reader knows: it may still be read by the names
// of its arrays, or by a description.
class UnknownLayout : public Error {
 public:
  using Error::Error;
};

// The disk, not the content, is the reason that a frame cannot be read: what was read before it counts.
class UnreadableFrame : public Error {
 public:
  using Error::Error;
};

// A sample of a frame as a number.

// Number `index` of the frame's values; 0 for one that is infinite or no number.
inline double sample_value(const Acquisition& a, std::span<const std::byte> frame, std::size_t index) {
  if (a.sample_type == SampleType::int16) {
    std::int16_t value = 0;
    std::memcpy(&value, frame.data() + index * sizeof value, sizeof value);
    return value;
  }
  float value = 0.0F;
  std::memcpy(&value, frame.data() + index * sizeof value, sizeof value);
  return std::isfinite(value) ? static_cast<double>(value) : 0.0;
}

}  // namespace echoloop
