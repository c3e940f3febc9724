// The M-mode strip on screen: reads the columns of the live stream and of kept frames into MModeColumns, and has them
// in a texture whose columns are equal steps of time, so that motion is true to time. Where frames are missing the
// strip is black. Frozen it takes columns of kept frames only. UI thread only.
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
  static constexpr int kColumns = 2048;  // of the texture

  // `kept`: of kept frames; null: there are none.
  MModeStrip(LineQueue& live, LineQueue* kept) : live_(live), kept_(kept) {}

  // Takes what has come on the line through ViewEdits::inspected and puts it into `model`; gives its memory back where
  // the M-mode is not wanted. `shown`: the image on screen, at whose frame a frozen strip looks.
  void take(Model& model, Edits& edits, const Image& shown);
  // Which part is drawn: `span_s` up to the newest column; frozen, further back where the image on screen is older.
  void look(double span_s);

  [[nodiscard]] const MModeColumns& columns() const { return *columns_; }
  [[nodiscard]] bool empty() const { return columns_->empty(); }
  [[nodiscard]] unsigned int texture() const { return texture_.id(); }
  [[nodiscard]] std::uint64_t painted() const { return painted_; }  // counts changes of the texture
  [[nodiscard]] Grid grid() const;                                  // of the texture, for ImagePainter
  [[nodiscard]] double newest_s() const;  // time at the right edge of a strip that shows the newest column
  // Time from there to the right edge of what is drawn, at most 0.
  [[nodiscard]] double offset_s() const { return static_cast<double>(end_) * step_s_ - newest_s(); }
  [[nodiscard]] std::optional<double> shown_s() const { return shown_s_; }  // of the image on screen, when frozen
  [[nodiscard]] TimeSteps steps(double span_s) const;                       // of what is drawn
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
  std::uint64_t begun_ = 0;  // of what the texture holds
  std::uint64_t painted_ = 0;
  double step_s_ = 1e-3;  // of the texture's columns
  std::int64_t end_ = 0;  // step behind the last one that is drawn; the kColumns before it are in the texture
  std::optional<double> shown_s_;
  std::vector<float> run_;  // [rows][n]
};

// The spectrogram on screen and its texture: the reader of the spectrograms' mailbox. It has a texture only while a
// gate is on; while frozen it takes no columns, and the image does not move. UI thread only.

class SpectrogramStrip {
 public:
  explicit SpectrogramStrip(Mailbox<Spectrogram>& box) : box_(box) {}

  // Takes the newest one and sets `model`, where it is of the stream that `shown` is of.
  void take(Model& model, const Edits& edits, const Image& shown);

  [[nodiscard]] const Spectrogram* shown() const { return shown_.get(); }  // null = none
  [[nodiscard]] unsigned int texture() const { return texture_.id(); }
  [[nodiscard]] Grid grid() const;  // of the texture, for ImagePainter
  // As strip_pieces(), with zero velocity moved by `baseline`: velocities beyond one limit appear at the other.
  [[nodiscard]] std::vector<StripPiece> pieces(const Rect& box, double span_s, double baseline) const;

 private:
  void upload(const Spectrogram& s);

  Mailbox<Spectrogram>& box_;
  std::shared_ptr<const Spectrogram> shown_;
  Texture2d texture_;  // R32F, dB; [bins + 1, from one limit to the other][kColumns]
  int n_bins_ = 0;
  std::uint64_t begun_ = 0, end_ = 0;  // of what the texture holds
  std::vector<float> column_;
};

// How the spectrogram is displayed: white on black, brightness is power.
ImagingParams spectrogram_display(const Spectrogram& s, const ImagingParams& params);

}  // namespace echoloop
