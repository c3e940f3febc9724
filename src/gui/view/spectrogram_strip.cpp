#include "gui/view/spectrogram_strip.h"

#include <algorithm>
#include <limits>

namespace echoloop {

void SpectrogramStrip::take(UiState& state, const Image& shown) {
  state.analyses.spectrogram.shown = nullptr;
  if (state.params.doppler.gate == Gate::off) {
    shown_ = nullptr;
    return texture_.release();
  }
  if (state.run != RunState::frozen) box_.take();
  const Spectrogram& s = box_.front();
  const bool belongs = s.number > 0 && s.end > 0 && s.acquisition == shown.acquisition;
  shown_ = state.analyses.spectrogram.shown = belongs ? &s : nullptr;
  if (belongs) upload(s);
}

void SpectrogramStrip::upload(const Spectrogram& s) {
  if (!texture_.fits(Spectrogram::kColumns, s.n_bins + 1)) {
    texture_.allocate(Spectrogram::kColumns, s.n_bins + 1, GL_R32F, GL_LINEAR);
    n_bins_ = s.n_bins;
    begun_ = 0;
  }
  if (s.begun != begun_ || s.end < end_) {
    const float nothing = std::numeric_limits<float>::quiet_NaN();  // black
    glClearTexImage(texture_.id(), 0, GL_RED, GL_FLOAT, &nothing);
    begun_ = s.begun;
    end_ = 0;
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  if (end_ == s.end) return;
  // The newest column also takes the place of the next one: towards an empty one it would fade into black.
  for (std::uint64_t k = std::max(end_, s.first()); k <= s.end; ++k) {
    const std::span<const float> column = s.column(std::min(k, s.end - 1));
    column_.assign(column.rbegin(), column.rend());
    column_.insert(column_.begin(), column.front());  // the two limits are one frequency
    glTextureSubImage2D(texture_.id(), 0, static_cast<int>(Spectrogram::slot(k)), 0, 1, n_bins_ + 1, GL_RED, GL_FLOAT,
                        column_.data());
  }
  end_ = s.end;
}

Grid SpectrogramStrip::grid() const {
  return {.x0_m = 0.0, .x1_m = 1.0, .z0_m = 0.0, .z1_m = 1.0, .nx = Spectrogram::kColumns, .nz = n_bins_ + 1};
}

std::vector<StripPiece> SpectrogramStrip::pieces(const Rect& box, double span_s, double baseline) const {
  if (shown_ == nullptr) return {};
  const double step_px = static_cast<double>(box.width()) / (span_s / shown_->step_s());
  const auto newest = static_cast<std::int64_t>(shown_->end) - 1;
  std::vector<StripPiece> list;
  const float turn = box.height();
  const float down = 0.5F * static_cast<float>(baseline) * turn;
  for (const StripPiece& piece : strip_pieces(box, step_px, newest, Spectrogram::kColumns)) {
    for (const float by : {down - turn, down, down + turn}) {
      const Rect whole{piece.where.x0, box.y0 + by, piece.where.x1, box.y1 + by};
      const Rect clip = piece.clip.common({piece.clip.x0, whole.y0, piece.clip.x1, whole.y1});
      if (clip.y1 <= clip.y0) continue;
      list.push_back({whole, clip});
    }
  }
  return list;
}

ImagingParams spectrogram_display(const Spectrogram& s, const ImagingParams& params) {
  ImagingParams display;
  display.display.dynamic_range_db = params.doppler.range_db;
  display.display.gain_db = -spectrogram_white_db(s, params);
  return display;
}

}  // namespace echoloop
