#include "gui/view/m_mode.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace echoloop {
namespace {

// Removes the calipers, which belong to the line.
void forget_calipers(MModeEdits& view) {
  if (view.calipers.empty()) return;
  view.calipers.clear();
  ++view.lines;
}

}  // namespace

void MModeStrip::take(Model& model, Edits& edits, const Image& shown) {
  MModeEdits& view = edits.view.m_mode;
  model.image.m_mode.columns.reset();
  shown_s_.reset();
  if (!view.wanted || !edits.view.inspected) {
    live_.drain([](LineColumn&) {});
    if (kept_ != nullptr) kept_->drain([](LineColumn&) {});
    columns_->clear();
    forget_calipers(view);
    run_ = {};
    return texture_.release();
  }
  const LineOrigin* line = columns_->line();
  const bool moved = line != nullptr && (line->acquisition != shown.acquisition ||
                                         line_column(line->grid, *edits.view.inspected) != line->column);
  if (moved) columns_->clear();
  const std::uint64_t begun = columns_->begun();
  const bool frozen = model.run == RunState::frozen;
  live_.drain([&](LineColumn& column) {
    if (!frozen) accept(edits, shown, column);
  });
  if (kept_ != nullptr) {
    kept_->drain([&](LineColumn& column) {
      if (frozen) accept(edits, shown, column);
    });
  }
  if (moved || columns_->begun() != begun) forget_calipers(view);
  if (frozen) shown_s_ = columns_->time_s(shown.stamp);
  model.image.m_mode.columns = columns_;
}

// Ignores columns still in transit of another line, or of another source.
void MModeStrip::accept(const Edits& edits, const Image& shown, LineColumn& column) {
  const LineOrigin& origin = *column.origin;
  if (shown.number != 0 && origin.acquisition != shown.acquisition) return;
  if (line_column(origin.grid, *edits.view.inspected) == origin.column) columns_->add(column);
}

std::int64_t MModeStrip::step_of(double time_s) const {
  return static_cast<std::int64_t>(std::floor(time_s / step_s_));
}

double MModeStrip::newest_s() const {
  if (columns_->empty()) return 0.0;
  return static_cast<double>(step_of(columns_->time_s(columns_->size() - 1)) + 1) * step_s_;
}

void MModeStrip::look(double span_s) {
  if (columns_->empty()) return;
  const double step_s = span_s / 2000.0;
  if (const int rows = columns_->line()->grid.nz; !texture_.fits(kColumns, rows)) {
    texture_.allocate(kColumns, rows, GL_R32F, GL_LINEAR);
    end_ = 0;  // the texture is empty
  }
  const bool anew = begun_ != columns_->begun() || step_s != step_s_;
  begun_ = columns_->begun();
  step_s_ = step_s;
  const std::int64_t newest = step_of(columns_->time_s(columns_->size() - 1)) + 1;
  const auto width = static_cast<std::int64_t>(std::lround(span_s / step_s_));
  std::int64_t end = newest;
  if (shown_s_.has_value()) {  // page that contains the image's own time, turned only when this leaves the page
    const std::int64_t at = step_of(*shown_s_);
    const std::int64_t before = anew ? newest : std::min(end_, newest);
    end = at < before && at >= before - width ? before : std::min(newest, at + width / 2);
    if (at >= newest - width) end = newest;
  }
  const MModeColumns::Changed changed = columns_->take_changed();
  const std::int64_t had = end_;
  end_ = end;
  if (anew || end < had || end - had >= kColumns) return paint(end - kColumns, end);
  paint(std::max(had, end - kColumns), end);
  if (changed.any()) paint(std::max(step_of(changed.from_s), end - kColumns), std::min(step_of(changed.to_s) + 1, end));
}

// Paints the steps from `from` to before `to`, in pieces that are contiguous in the texture.
void MModeStrip::paint(std::int64_t from, std::int64_t to) {
  while (from < to) {
    const int n = static_cast<int>(std::min<std::int64_t>(to - from, kColumns - place(from)));
    paint_run(from, n);
    from += n;
  }
}

void MModeStrip::paint_run(std::int64_t from, int n) {
  ++painted_;
  sample_columns(*columns_, {.first = from, .n = n, .step_s = step_s_}, texture_.height(),
                 run_);  // steps without a column: black
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureSubImage2D(texture_.id(), 0, place(from), 0, n, texture_.height(), GL_RED, GL_FLOAT, run_.data());
}

Grid MModeStrip::grid() const {
  const LineOrigin* line = columns_->line();
  if (line == nullptr) return {};
  return {.x0_m = 0.0,
          .x1_m = 1.0,
          .z0_m = line_first_m(line->grid),
          .z1_m = line_last_m(line->grid),
          .nx = kColumns,
          .nz = texture_.height()};
}

TimeSteps MModeStrip::steps(double span_s) const {
  const auto n = static_cast<int>(std::lround(span_s / step_s_));
  return {.first = end_ - n, .n = n, .step_s = step_s_};
}

std::vector<StripPiece> MModeStrip::pieces(const Rect& box, double span_s) const {
  if (columns_->empty() || texture_.id() == 0) return {};
  return strip_pieces(box, static_cast<double>(box.width()) / (span_s / step_s_), end_ - 1, kColumns);
}

void SpectrogramStrip::take(Model& model, const Edits& edits, const Image& shown) {
  std::shared_ptr<const Spectrogram>& seen = model.analyses.of<SpectrogramView>().shown;
  if (edits.params.doppler.gate == Gate::off) {
    seen = shown_ = nullptr;
    return texture_.release();
  }
  const bool fresh = model.run != RunState::frozen && box_.take();
  const Spectrogram& s = box_.front();
  if (s.number == 0 || s.end == 0 || s.acquisition != shown.acquisition) {
    shown_ = nullptr;
  } else if (fresh || shown_ == nullptr) {
    shown_ = std::make_shared<Spectrogram>(s);
  }
  seen = shown_;
  if (shown_ != nullptr) upload(*shown_);
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
  // Repeats the newest column in the next one: interpolation with an empty one would fade to black.
  for (std::uint64_t k = std::max(end_, s.first()); k <= s.end; ++k) {
    const std::span<const float> column = s.column(std::min(k, s.end - 1));
    column_.assign(column.rbegin(), column.rend());
    column_.insert(column_.begin(), column.front());  // both limits are one frequency
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
