// The columns of the M-mode by acquisition time: those of the live stream as they come, those of kept frames as they
// are beamformed again, newest first. One line at a time; of columns that need too much memory the oldest go. Plain
// values, no OpenGL. UI thread only.
#pragma once

#include <algorithm>
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
#include "gui/state/number_text.h"
#include "gui/state/rect.h"
#include "render/palette.h"

namespace echoloop {

class MModeColumns {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} << 20;
  [[nodiscard]] static std::size_t capacity(const Grid& grid);  // columns

  // Takes the column's memory and leaves other memory in its place. It replaces the column of the same frame; of
  // another line, it begins anew.
  void add(LineColumn& column);
  void clear();

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const LineColumn& at(std::size_t index) const { return list_[index].column; }  // oldest first
  // On one clock for all of them: acquisition time, which goes on where a stream is started again.
  [[nodiscard]] double time_s(std::size_t index) const { return list_[index].time_s; }
  // Until when a column stands for the tissue: to the next one, or, where frames are missing, for as long as a frame
  // usually takes.
  [[nodiscard]] double until_s(std::size_t index) const;
  [[nodiscard]] const LineColumn* find(const FrameStamp& stamp) const;
  [[nodiscard]] std::optional<double> time_s(const FrameStamp& stamp) const;
  // The newest one that is not later; nothing: all are.
  [[nodiscard]] std::optional<std::size_t> index_at(double time_s) const;
  [[nodiscard]] const LineOrigin* line() const { return list_.empty() ? nullptr : list_.back().column.origin.get(); }

  // Changes where columns that were added or taken away.
  struct Changed {
    double from_s = std::numeric_limits<double>::infinity();
    double to_s = -std::numeric_limits<double>::infinity();
    [[nodiscard]] bool any() const { return from_s <= to_s; }
  };
  [[nodiscard]] Changed take_changed();                         // since the last call
  [[nodiscard]] std::uint64_t begun() const { return begun_; }  // counts the lines

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

  std::deque<Entry> list_;  // by the moment of publication
  Changed changed_;
  std::uint64_t begun_ = 0;
};

// Equal steps of time side by side: step k begins at k * step_s on the clock of the columns.
struct TimeSteps {
  std::int64_t first = 0;
  int n = 0;
  double step_s = 1e-3;
};
// The columns' levels in those steps, [rows][n]; not a number where there is no column.
void sample_columns(const MModeColumns& columns, const TimeSteps& steps, int rows, std::vector<float>& levels_db);

// Depths of the first and the last row of a line, from the array's origin: straight down where the image is a sector.
[[nodiscard]] double line_first_m(const Grid& grid);
[[nodiscard]] double line_last_m(const Grid& grid);

// How a ring of columns in a texture is drawn as a strip whose newest column is at the right. Pure; any thread.

// Where the whole texture has to be drawn, and within which clip.
struct StripPiece {
  Rect where, clip;
};

// `newest`: the newest column, counted from 0; it lies at newest % ring. Columns are step_px wide.
inline std::vector<StripPiece> strip_pieces(const Rect& box, double step_px, std::int64_t newest, int ring) {
  // Right edge of a column.
  const auto edge = [&](std::int64_t step) {
    return box.x1 - static_cast<float>(step_px * static_cast<double>(newest - step));
  };
  std::vector<StripPiece> list;
  const std::int64_t at = newest % ring;
  // Turns of the ring: the one that ends with the newest column, and the one before.
  for (const std::int64_t first : {newest - at, newest - at - ring}) {
    const std::int64_t last = first == newest - at ? newest : newest - at - 1;
    const std::int64_t oldest = std::max<std::int64_t>({first, newest - ring + 1, 0});
    if (last < oldest) continue;
    // From edge to edge, though the painter takes the edges for the outer columns' centres: at most half a column off,
    // and the two turns meet without a gap.
    const Rect where{edge(first - 1), box.y0, edge(first + ring - 1), box.y1};
    const Rect clip = box.common({edge(oldest - 1), box.y0, edge(last), box.y1});
    if (clip.x1 > clip.x0) list.push_back({where, clip});
  }
  return list;
}

// Numbers and curves of spectral Doppler as they are drawn, the same in the window and in figures. Pure; any thread.
// No ImGui.

// Of the columns within the newest `span_s`: whether they are all gaps, as where a short recording is repeated.
bool only_gaps(const Spectrogram& s, double span_s);
// "peak +32 cm/s" of those columns, or why there is none.
std::string peak_text(const Spectrogram& s, double span_s);
// Limit, angle, PRF, sample volume and its place: the most important first.
std::vector<std::string> spectrogram_facts(const Spectrogram& s);
// Where the frame of `image` is on the time axis, s: 0 or before, as the right edge is the newest column. Nothing where
// it is not within the newest `span_s`.
std::optional<double> frame_place_s(const Spectrogram& s, const Image& image, double span_s);
// Of the column there; not a number where there is none.
double mean_m_s(const Spectrogram& s, double place_s);

// A curve over the spectra. Beyond one limit it continues at the other, as the spectra do; NaN: a gap.
enum class DopplerCurves { none, shown };
struct SpectrogramCurve {
  Rgb color;
  double first_s = 0.0;  // of the first value; the right edge is 0
  std::vector<float> m_s;
};
// Envelope and mean of the newest `span_s`, with the baseline moved as `params` has it.
std::vector<SpectrogramCurve> spectrogram_curves(const Spectrogram& s, const ImagingParams& params, double span_s);

// An axis of a small plot and its ticks in 1-2-5 steps, the same in the window and in figures. Pure; any thread. No
// ImGui.

struct PlotAxis {
  double first = 0.0, last = 1.0;  // at the left edge and the right one; at the top and at the bottom
  std::string_view unit;
  int decimals = -1;  // of the labels; -1: as many as the step needs

  [[nodiscard]] double share(double v) const { return last != first ? (v - first) / (last - first) : 0.0; }
  // The step that puts as many labels on an axis of this length as stay `least` apart.
  [[nodiscard]] double step(double length, double least) const {
    const double most = std::max(1.0, std::floor(length / least));
    return round_up_125(std::max(std::abs(last - first) / most, 1e-9));
  }
  // draw(value, label) for every tick.
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
