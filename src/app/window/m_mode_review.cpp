#include "app/window/m_mode_review.h"

#include <algorithm>

#include "gui/overlay/m_mode_columns.h"

namespace echoloop {
namespace {

constexpr std::size_t kAhead = 2;  // the lane always has the next one

// Whether `made` gives the levels that `wanted` does; an automatic level of 0 dB is whichever was in use.
bool makes_same(const ImagingParams& made, const ImagingParams& wanted) {
  const bool level =
      wanted.level.reference_db <= kAutoReference || made.level.reference_db == wanted.level.reference_db;
  return level && same_pixels(made, wanted) && made.refine == wanted.refine;
}

}  // namespace

void MModeReview::begin(UiState& state, const Key& key) {
  key_ = key;
  stamps_ = history_.stamps();
  answers_ = std::make_shared<Answers>();
  next_ = stamps_.size();
  first_ = had_ = asked_ = 0;
  state.image.m_mode.cancelled = false;
}

// A column on this line, made with the parameters in the panels.
bool MModeReview::has(const UiState& state, const FrameStamp& stamp) const {
  const LineColumn* found = state.image.m_mode.columns == nullptr ? nullptr : state.image.m_mode.columns->find(stamp);
  return found != nullptr && makes_same(found->origin->params, key_->params) &&
         line_column(found->origin->grid, key_->at) == found->origin->column;
}

void MModeReview::update(UiState& state, Session& session, Moment moment) {
  MModeView& view = state.image.m_mode;
  if (moment == Moment::live || !view.wanted || !state.image.inspected || !session.running()) {
    key_.reset();
    view.progress = {};
    return;
  }
  const Key key{*state.image.inspected, without_display(state.params), session.configurations()};
  const bool goes_on = key_.has_value() && key_->at == key.at && key_->configuration == key.configuration &&
                       makes_same(key_->params, key.params) &&
                       key_->params.level.reference_db == key.params.level.reference_db;
  if (!goes_on) begin(state, key);
  if (!view.cancelled && !answers_->failed) ask(state, session);
  const std::size_t came = answers_->came;
  view.progress = {.done = had_ + came,
                   .all = stamps_.size() - first_,
                   .under_way = !view.cancelled && !answers_->failed && (next_ > first_ || came < asked_),
                   .failed = answers_->failed};
}

void MModeReview::ask(UiState& state, Session& session) {
  if (state.image.m_mode.columns != nullptr && state.image.m_mode.columns->line() != nullptr) {
    const std::size_t room = MModeColumns::capacity(state.image.m_mode.columns->line()->grid);
    first_ = stamps_.size() - std::min(stamps_.size(), room);
  }
  const std::size_t came = answers_->came;  // a turn asks for a few, however fast they come meanwhile
  for (; next_ > first_ && asked_ - came < kAhead; --next_) {
    if (has(state, stamps_[next_ - 1])) {
      ++had_;
      continue;
    }
    const std::optional<KeptFrame> kept = history_.at(next_ - 1);
    if (!kept.has_value() || kept->acquisition != session.acquisition()) continue;  // lines of one description
    session.review({.frame = kept->frame,
                    .owner = kept->owner,
                    .params = key_->params,
                    .compare = {},
                    .deliver =
                        [to = answers_, writer = writer_, at = key_->at](const Image* image, const FlowImage*) {
                          if (image == nullptr) {
                            to->failed = true;
                            return;
                          }
                          writer->write(*image, at);
                          ++to->came;
                        },
                    .acquisition = kept->acquisition});
    ++asked_;
  }
}

}  // namespace echoloop
