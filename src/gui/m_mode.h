// M-mode: one line of the picture over time. Each new picture's column is copied from texture to texture on the GPU;
// nothing is read back. Columns of the strip are equal steps of time, so that motion is true to time: what lies between
// two pictures holds the older one, a pause stays a gap. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/image.h"
#include "gui/strip_pieces.h"

namespace echoloop {

class MModeStrip {
 public:
  static constexpr double kStep_s = 4e-3;  // one column
  static constexpr int kColumns = 2048;    // 8.2 s
  static constexpr double kLongest_s = 8.0;

  MModeStrip() = default;
  ~MModeStrip() { close(); }
  MModeStrip(const MModeStrip&) = delete;
  MModeStrip& operator=(const MModeStrip&) = delete;

  // The line through `at` of a new live picture, which lies in `texture`. Another line, another grid, another source:
  // the strip begins anew.
  void add(unsigned int texture, const Image& image, PlanePoint at);
  void close();  // and gives its memory back

  [[nodiscard]] bool empty() const { return texture_ == 0 || newest_ < 0; }
  [[nodiscard]] unsigned int texture() const { return texture_; }
  [[nodiscard]] Grid grid() const;  // of the texture, for ImagePainter
  // Depths at the first and the last row, of the line straight down where the picture is a sector.
  [[nodiscard]] double first_m() const;
  [[nodiscard]] double last_m() const;
  // Seconds before the newest column of the picture with this stamp; nothing: it is not on the strip.
  [[nodiscard]] std::optional<double> age_s(const FrameStamp& stamp) const;

  // The last `span_s` fill the box, the newest at its right edge.
  [[nodiscard]] std::vector<StripPiece> pieces(const Rect& box, double span_s) const;

 private:
  void begin(const Image& image, int column);
  void hold_until(std::int64_t step);
  void clear_until(std::int64_t step);
  [[nodiscard]] static int place(std::int64_t step) { return static_cast<int>(step % kColumns); }

  struct Mark {
    std::uint64_t sequence;
    std::int64_t step;
  };

  unsigned int texture_ = 0;  // R32F, dB; [rows][kColumns]
  Grid picture_;              // whose line it is
  AcquisitionPtr of_;
  int column_ = -1;
  std::int64_t newest_ = -1;  // step of the newest column, from 0
  double time_s_ = 0.0;       // of the last picture, on the strip's clock
  double source_s_ = 0.0;     // and on the source's
  double interval_s_ = 0.0;   // between the last two pictures
  std::vector<Mark> marks_;   // pictures on the strip, oldest first
};

}  // namespace echoloop
