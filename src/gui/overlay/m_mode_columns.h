// Columns of the M-mode by acquisition time: of the live stream in order, of kept frames newest first, as they are
// beamformed again. One line at a time; the oldest columns are removed at the memory limit. Plain values, no OpenGL. UI
// thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/caption.h"
#include "gui/state/number_text.h"
#include "gui/state/rect.h"
#include "render/canvas.h"

namespace echoloop {

class MModeColumns {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} << 20;
  [[nodiscard]] static std::size_t capacity(const Grid& grid);  // in columns

  // Adds a column by swapping its memory. Replaces the column of the same frame; a column of another line removes all
  // others.
  void add(LineColumn& column);
  void clear();

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const LineColumn& at(std::size_t index) const { return list_[index].column; }  // oldest first
  // Returns the time on one clock for all columns: acquisition time, continued when a stream restarts.
  [[nodiscard]] double time_s(std::size_t index) const { return list_[index].time_s; }
  // Returns the end of a column's time: the next column, or, if frames are missing, a usual frame period later.
  [[nodiscard]] double until_s(std::size_t index) const;
  [[nodiscard]] const LineColumn* find(const FrameStamp& stamp) const;
  [[nodiscard]] std::optional<double> time_s(const FrameStamp& stamp) const;
  // Returns the newest column that is not later; nullopt: all are.
  [[nodiscard]] std::optional<std::size_t> index_at(double time_s) const;
  [[nodiscard]] const LineOrigin* line() const { return list_.empty() ? nullptr : list_.back().column.origin.get(); }

  // Time range of added and removed columns.
  struct Changed {
    double from_s = std::numeric_limits<double>::infinity();
    double to_s = -std::numeric_limits<double>::infinity();
    [[nodiscard]] bool any() const { return from_s <= to_s; }
  };
  [[nodiscard]] Changed take_changed();                         // since the last call
  [[nodiscard]] std::uint64_t begun() const { return begun_; }  // number of lines so far

 private:
  struct Entry {
    LineColumn column;
    double time_s = 0.0;
  };
  [[nodiscard]] std::deque<Entry>::iterator place(const FrameStamp& stamp);
  [[nodiscard]] double usual_step_s(std::size_t index) const;
  void set_times(std::size_t index);
  void note(std::size_t index);
  void drop_oldest();

  std::deque<Entry> list_;  // by publication time
  Changed changed_;
  std::uint64_t begun_ = 0;
};

// Consecutive equal time steps: step k begins at k * step_s on the clock of the columns.
struct TimeSteps {
  std::int64_t first = 0;
  int n = 0;
  double step_s = 1e-3;
};
// Samples the columns' levels in those steps, [rows][n]; NaN without a column.
void sample_columns(const MModeColumns& columns, const TimeSteps& steps, int rows, std::vector<float>& levels_db);

// Return the depths of the first and last row of a line, from the array's origin: straight down in a sector.
[[nodiscard]] double line_first_m(const Grid& grid);
[[nodiscard]] double line_last_m(const Grid& grid);

// Drawing of a ring of columns in a texture as a strip with the newest column at the right. Pure; any thread.

// Box of the whole texture, and its clip.
struct StripPiece {
  Rect where, clip;
};

// Returns the strip's pieces. `newest`: newest column, from 0; its position is newest % ring. Columns: step_px wide.
inline std::vector<StripPiece> strip_pieces(const Rect& box, double step_px, std::int64_t newest, int ring) {
  // Returns the right edge of a column.
  const auto edge = [&](std::int64_t step) {
    return box.x1 - static_cast<float>(step_px * static_cast<double>(newest - step));
  };
  std::vector<StripPiece> list;
  const std::int64_t at = newest % ring;
  // Turns of the ring: the one that ends with the newest column, and the previous one.
  for (const std::int64_t first : {newest - at, newest - at - ring}) {
    const std::int64_t last = first == newest - at ? newest : newest - at - 1;
    const std::int64_t oldest = std::max<std::int64_t>({first, newest - ring + 1, 0});
    if (last < oldest) continue;
    // Uses edges, although the painter treats them as the outer columns' centres: the error is at most half a column,
    // and both turns join without a gap.
    const Rect where{edge(first - 1), box.y0, edge(first + ring - 1), box.y1};
    const Rect clip = box.common({edge(oldest - 1), box.y0, edge(last), box.y1});
    if (clip.x1 > clip.x0) list.push_back({where, clip});
  }
  return list;
}

// Numbers and curves of spectral Doppler for drawing, the same in the window and in figures. Pure; any thread. No
// ImGui.

// Returns true if all columns of the newest `span_s` are gaps, as when a short recording is repeated.
bool only_gaps(const Spectrogram& s, double span_s);
// Returns "peak +32 cm/s" of those columns, or the reason for none.
std::string peak_text(const Spectrogram& s, double span_s);
// Returns limit, angle, PRF, sample volume and its position: the most important first.
std::vector<std::string> spectrogram_facts(const Spectrogram& s);
// Returns the position of the frame of `image` on the time axis, s: at most 0, as the right edge is the newest column.
// Nullopt outside the newest `span_s`.
std::optional<double> frame_place_s(const Spectrogram& s, const Image& image, double span_s);
// Returns the mean of the column there; NaN: none.
double mean_m_s(const Spectrogram& s, double place_s);

inline constexpr const char* kNeedAngle = "Values need the vessel angle.";
// Returns peak, end of diastole, resistance index and heart rate of the newest `span_s`: "—" for what is not known, as
// the velocities without an angle.
[[nodiscard]] inline bool has_angle(const Spectrogram& s) { return s.params.color_flow.angle_rad != 0.0; }
std::array<CaptionItem, 4> pulse_items(const Spectrogram& s, double span_s);

// Curve over the spectra. Beyond one limit it continues at the other, as the spectra do; NaN: a gap.
enum class DopplerCurves { none, shown };
struct SpectrogramCurve {
  Rgb color;
  double first_s = 0.0;  // time of the first value; the right edge is 0
  std::vector<float> m_s;
};
// Returns envelope and mean of the newest `span_s`, shifted by the baseline of `params`.
std::vector<SpectrogramCurve> spectrogram_curves(const Spectrogram& s, const ImagingParams& params, double span_s);

// Axis of a small plot and its ticks in 1-2-5 steps, the same in the window and in figures. Pure; any thread. No ImGui.

struct PlotAxis {
  double first = 0.0, last = 1.0;  // left and right, or top and bottom
  std::string_view unit;
  int decimals = -1;  // of the labels; -1: as many as the step requires

  [[nodiscard]] double share(double v) const { return last != first ? (v - first) / (last - first) : 0.0; }
  // Returns the step for labels at least `least` apart on an axis of this length.
  [[nodiscard]] double step(double length, double least) const {
    const double most = std::max(1.0, std::floor(length / least));
    return round_up_125(std::max(std::abs(last - first) / most, 1e-9));
  }
  // Calls draw(value, label) for every tick.
  template <class Draw>
  void each_tick(double step, const Draw& draw) const {
    const double low = std::min(first, last), high = std::max(first, last);
    const int places = decimals >= 0 ? decimals : decimals_of_125(step);
    for (double k = std::ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k += 1.0) {
      draw(k * step, fixed(k == 0.0 ? 0.0 : k * step, places));
    }
  }
};

}  // namespace echoloop
