// Recording in a file of unknown origin, as made by the readers of all formats. They run only in the reader process
// (sandbox/reader_main.h), which passes geometry and frames to the viewer. Internal to src/formats.
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
#include "core/contents.h"
#include "core/error.h"
#include "core/source_properties.h"

namespace echoloop {

// Data about frames recorded from a scanner.
struct ScannerRecord {
  std::vector<double> times_s;          // per frame, by the scanner's clock, not falling; empty: no scanner
  std::uint64_t lost = 0, missing = 0;  // frames lost between the recorded ones: at the sender, without a known cause
  bool counts_lost = true;              // the two numbers are known
};

// Returns true if all times are finite and nonnegative, and none is below its predecessor.
[[nodiscard]] inline bool is_time_axis(std::span<const double> times_s) {
  return std::ranges::all_of(times_s, [](double t) { return std::isfinite(t) && t >= 0.0; }) &&
         std::ranges::is_sorted(times_s);
}

// Samples used by the reader of a format, in terms of a description: its keys data, imag, shape, axes and offset. Empty
// `data`: no description can name them; reason in `why_not`. Both empty: the file is read by a description, or by its
// names.
struct NamedSamples {
  std::string data = {}, imag = {};
  std::vector<std::uint64_t> shape = {};  // empty: as stored
  std::vector<std::string> axes = {};
  double offset = 0.0;
  bool turned = false;  // IQ phase was rotated: time zero moved from the first firing to the origin
  std::string why_not = {};
};

struct LibraryRecording {
  AcquisitionPtr acquisition;  // validated
  std::uint64_t frame_count = 0;
  std::string format;  // as text: "UFF (USTB)", "MATLAB v5 (MUST)"

  // Byte offsets of all frames in the file, if stored exactly as in the acquisition ([transmit][element][sample],
  // little-endian, contiguous, aligned to the sample size): the viewer then maps the file and lends the frames from the
  // mapping. Empty otherwise.
  std::vector<std::uint64_t> frame_offsets;

  ScannerRecord scanner = {};
  std::vector<RecordedTrack> tracks = {};    // all of the file, if it has several
  std::vector<std::string> properties = {};  // of reading (core/source_properties.h) that the format has
  NamedSamples named = {};
  SourceContents contents = {};
  bool frame_by_frame = false;  // read_frame reads or unpacks only the frame itself

  // Name of the array in the same folder, if the file is a JSON description and no recording. All else is then empty.
  std::string described_file;

  // Writes frame `index` < frame_count into `out`, acquisition->frame_bytes() long. Throws Error. [one thread]
  std::function<void(std::uint64_t index, std::span<std::byte> out)> read_frame;
};

// Valid file of a known container with array names or shapes unknown to its readers: it may still be read by the names
// of its arrays, or by a description.
class UnknownLayout : public Error {
 public:
  using Error::Error;
};

// Error of the disk, not of the content, in reading a frame: frames read before it remain valid.
class UnreadableFrame : public Error {
 public:
  using Error::Error;
};

// Returns value number `index` of the frame; 0 if it is infinite or NaN.
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
