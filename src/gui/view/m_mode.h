// M-mode strip on screen: reads the columns of the live stream and of history frames into MModeColumns, and keeps them
// in a texture whose columns are equal steps of time, so that motion is true to time. The strip is black without
// frames. Frozen, it reads columns of history frames only. UI thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/gl/shader.h"
#include "gui/overlay/m_mode_columns.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class MModeStrip {
 public:
  static constexpr int kColumns = 2048;  // width of the texture

  // `kept`: columns of history frames; null: none.
  MModeStrip(LineQueue& live, LineQueue* kept) : live_(live), kept_(kept) {}

  // Reads new columns of the line through ViewEdits::inspected and sets them in `model`; frees its memory without an
  // M-mode. `shown`: the image on screen, whose frame a frozen strip shows.
  void take(Model& model, Edits& edits, const Image& shown);
  // Sets the drawn part: `span_s` up to the newest column; frozen, further back if the image on screen is older.
  void look(double span_s);

  [[nodiscard]] const MModeColumns& columns() const { return *columns_; }
  [[nodiscard]] bool empty() const { return columns_->empty(); }
  [[nodiscard]] unsigned int texture() const { return texture_.id(); }
  [[nodiscard]] std::uint64_t painted() const { return painted_; }  // counts changes of the texture
  [[nodiscard]] Grid grid() const;                                  // grid of the texture, for ImagePainter
  [[nodiscard]] double newest_s() const;  // time at the right edge of a strip that shows the newest column
  // Returns the time from there to the right edge of the drawn part, at most 0.
  [[nodiscard]] double offset_s() const { return static_cast<double>(end_) * step_s_ - newest_s(); }
  [[nodiscard]] std::optional<double> shown_s() const { return shown_s_; }  // time of the image on screen, when frozen
  [[nodiscard]] TimeSteps steps(double span_s) const;                       // steps of the drawn part
  [[nodiscard]] std::vector<StripPiece> pieces(const Rect& box, double span_s) const;

 private:
  void accept(const Edits& edits, const Image& shown, LineColumn& column);
  void paint(std::int64_t from, std::int64_t to);
  void paint_run(std::int64_t from, int n);
  [[nodiscard]] std::int64_t step_of(double time_s) const;
  [[nodiscard]] static int place(std::int64_t step) { return static_cast<int>(step % kColumns); }

  LineQueue& live_;
  LineQueue* kept_;
  std::shared_ptr<MModeColumns> columns_ = std::make_shared<MModeColumns>();
  Texture2d texture_;        // R32F, dB; [rows][kColumns]
  std::uint64_t begun_ = 0;  // MModeColumns::begun() of the texture's contents
  std::uint64_t painted_ = 0;
  double step_s_ = 1e-3;  // step of the texture's columns
  std::int64_t end_ = 0;  // step after the last drawn one; the kColumns before it are in the texture
  std::optional<double> shown_s_;
  std::vector<float> run_;  // [rows][n]
};

// Spectrogram on screen and its texture: reader of the spectrograms' mailbox. The texture exists only while a gate is
// on; while frozen it receives no columns, and the image does not move. UI thread only.

class SpectrogramStrip {
 public:
  explicit SpectrogramStrip(Mailbox<Spectrogram>& box) : box_(box) {}

  // Reads the newest one and sets it in `model`, if it has the acquisition of `shown`.
  void take(Model& model, const Edits& edits, const Image& shown);

  [[nodiscard]] const Spectrogram* shown() const { return shown_.get(); }  // null = none
  [[nodiscard]] unsigned int texture() const { return texture_.id(); }
  [[nodiscard]] Grid grid() const;  // grid of the texture, for ImagePainter
  // Same as strip_pieces(), with zero velocity moved by `baseline`: velocities beyond one limit appear at the other.
  [[nodiscard]] std::vector<StripPiece> pieces(const Rect& box, double span_s, double baseline) const;

 private:
  void upload(const Spectrogram& s);

  Mailbox<Spectrogram>& box_;
  std::shared_ptr<const Spectrogram> shown_;
  Texture2d texture_;  // R32F, dB; [bins + 1, from one limit to the other][kColumns]
  int n_bins_ = 0;
  std::uint64_t begun_ = 0, end_ = 0;  // columns in the texture
  std::vector<float> column_;
};

// Returns the display of the spectrogram: white on black, brightness is power.
ImagingParams spectrogram_display(const Spectrogram& s, const ImagingParams& params);

}  // namespace echoloop
