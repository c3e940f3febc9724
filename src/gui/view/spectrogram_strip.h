// The spectrogram on screen and its texture: the reader of the spectrograms' mailbox. It has a texture only while a
// gate is on; while frozen it takes no columns, and the image does not move. UI thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/results/spectrogram.h"
#include "gui/gl/texture_2d.h"
#include "gui/overlay/strip_pieces.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class SpectrogramStrip {
 public:
  explicit SpectrogramStrip(Mailbox<Spectrogram>& box) : box_(box) {}

  // Takes the newest one and sets `state`, where it is of the stream that `shown` is of.
  void take(UiState& state, const Image& shown);

  [[nodiscard]] const Spectrogram* shown() const { return shown_; }  // null = none
  [[nodiscard]] unsigned int texture() const { return texture_.id(); }
  [[nodiscard]] Grid grid() const;  // of the texture, for ImagePainter
  // As strip_pieces(), with zero velocity moved by `baseline`: velocities beyond one limit appear at the other.
  [[nodiscard]] std::vector<StripPiece> pieces(const Rect& box, double span_s, double baseline) const;

 private:
  void upload(const Spectrogram& s);

  Mailbox<Spectrogram>& box_;
  const Spectrogram* shown_ = nullptr;
  Texture2d texture_;  // R32F, dB; [bins + 1, from one limit to the other][kColumns]
  int n_bins_ = 0;
  std::uint64_t begun_ = 0, end_ = 0;  // of what the texture holds
  std::vector<float> column_;
};

// How the spectrogram is displayed: white on black, brightness is power.
ImagingParams spectrogram_display(const Spectrogram& s, const ImagingParams& params);

}  // namespace echoloop
