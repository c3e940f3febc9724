// The columns of the M-mode by acquisition time: those of the live stream as they come, those of kept frames as they
// are beamformed again, newest first. One line at a time; of columns that need too much memory the oldest go. Plain
// values, no OpenGL. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "core/line_queue.h"

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

}  // namespace echoloop
