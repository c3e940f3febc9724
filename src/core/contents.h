// Contents of a source besides its channel data: maps on the image plane, signals over time (also the ECG of a
// phantom), texts; and the parts of a file that are not used, with the reasons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace echoloop {

enum class MapKind { value, levels, picture, label, velocity };  // levels: dB, at most 0; picture: 0 to 255

// A map of the file, or one channel of it.
struct StoredMap {
  std::string name = {};  // "sos_map"; of a channel "segmentation/left"
  std::string path = {};  // in the file
  std::string unit = {}, description = {};
  MapKind kind = MapKind::value;
  std::uint32_t channel = 0;
  std::uint64_t frames = 1, rows = 0, columns = 0;
  std::vector<double> times_s = {};  // per frame, on the clock of the frames; empty: not stated
  double least = std::numeric_limits<double>::quiet_NaN(), most = least;  // range stated in the file; NaN: none
  double shift_x_m = 0.0;  // added to the positions, as to those of the elements
  std::string note = {};   // reason why it has no place on the image; empty: it has one
};

// Values of a map: [frame][row][column], and the position of each point on the image plane. NaN: no value.
struct MapValues {
  std::uint64_t rows = 0, columns = 0;
  std::vector<float> values = {};         // of one or more frames
  std::vector<float> x_m = {}, z_m = {};  // [row][column], or as many as values
};

// A signal over time: samples at even steps or at given times.
struct Signal {
  std::string name = {}, unit = {};
  std::string path = {};               // of its group or dataset in the file
  double start_s = 0.0, step_s = 0.0;  // on the clock of the frames, where time 0 is the first transmit event
  std::vector<double> times_s = {};    // rising, as many as values; empty: even steps
  std::vector<float> values = {};
  bool repeats = false;   // the values are one period, from time 0 on
  std::string note = {};  // reason why it is not drawn; empty: it is

  [[nodiscard]] double time_s(std::size_t k) const {
    return times_s.empty() ? start_s + step_s * static_cast<double>(k) : times_s[k];
  }
  [[nodiscard]] double period_s() const { return step_s * static_cast<double>(values.size()); }
  // Returns the value at a time, linear between samples; NaN before the first, after the last and in a gap of more than
  // 3 median steps.
  [[nodiscard]] double at(double time) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = values.size();
    if (n == 0 || !note.empty()) return kNone;
    if (repeats) {
      const double periods = (time - start_s) / period_s(),
                   place = (periods - std::floor(periods)) * static_cast<double>(n);
      const std::size_t i = static_cast<std::size_t>(place) % n;
      return between(i, (i + 1) % n, place - std::floor(place));
    }
    if (!(time >= time_s(0) && time <= time_s(n - 1))) return kNone;
    std::size_t i = 0;
    if (times_s.empty()) {
      i = static_cast<std::size_t>((time - start_s) / step_s);
    } else {
      i = static_cast<std::size_t>(std::ranges::upper_bound(times_s, time) - times_s.begin()) - 1;
    }
    i = std::min(i, n - 1);
    const std::size_t next = std::min(i + 1, n - 1);
    const double step = time_s(next) - time_s(i);
    if (step_s > 0.0 && step > 3.0 * step_s) return time == time_s(i) ? values[i] : kNone;
    return between(i, next, step > 0.0 ? (time - time_s(i)) / step : 0.0);
  }

 private:
  [[nodiscard]] double between(std::size_t i, std::size_t next, double share) const {
    return values[i] + share * (static_cast<double>(values[next]) - static_cast<double>(values[i]));
  }
};

struct TextEntry {
  std::string name = {};                // "anatomy", "subject/type"
  std::vector<std::string> texts = {};  // one, or one per frame
};

struct UnusedEntry {
  std::string path, reason;  // of a dataset, or of a group with all of its members
};

struct SourceContents {
  std::vector<StoredMap> maps = {};
  std::vector<Signal> signals = {};
  std::vector<TextEntry> annotations = {};
  std::vector<UnusedEntry> not_used = {};
  std::vector<std::string> used = {};  // paths of datasets
};
using SourceContentsPtr = std::shared_ptr<const SourceContents>;  // null: a format that reports none

}  // namespace echoloop
