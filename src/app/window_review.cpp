// WindowApp's looking back: freeze and go live, what is asked of the review.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window_app.h"
#include "core/param_table.h"
#include "core/transmits.h"
#include "core/units.h"

namespace echoloop {

void WindowApp::toggle_freeze() {
  if (session_ == nullptr || state_.fault.has_value()) return;
  if (frozen_by_itself_) {  // going live means that the source goes on
    state_.stream.paused = false;
    if (session_->producer_state() == ProducerState::ended) state_.stream.loop = true;
  } else if (review_.frozen()) {
    go_live();
  } else {
    freeze();
  }
  apply_stream();
}

void WindowApp::freeze() {
  review_.freeze(state_.cine, viewer_->shown_image().stamp.sequence);
  trace_.count_latencies_from(kNoLatencies);
}

void WindowApp::go_live() {
  review_.thaw(state_.cine, *session_);
  trace_.count_latencies_from(now_ns());
}

void WindowApp::apply_cine() { apply_stream(); }  // keep_acquiring; the rest is looked at by look_back()

// A paused source, or a recording at its end: there is nothing live to see, so the controls act on the past at once.
void WindowApp::freeze_when_still() {
  if (!session_->running()) return;
  const bool still = state_.stream.paused || session_->producer_state() == ProducerState::ended;
  if (frozen_by_itself_ && !still) {
    frozen_by_itself_ = false;
    go_live();
  }
  // Nothing was finished since before the last window frame looked for a picture, and there was none.
  const Image& image = viewer_->shown_image();
  const bool no_news = !fresh_ && state_.counts.processed == processed_looked_;
  const bool all_shown = image.number != 0 && no_news && state_.counts.in_flight == 0;
  processed_looked_ = state_.counts.processed;
  if (still && all_shown && !review_.frozen() && !state_.fault.has_value()) {
    frozen_by_itself_ = true;
    freeze();
  }
}

// Of both sides of a comparison. Where A is another recording, whose frames are not in the history, its points keep the
// numbers of the image's pixels, with the reason.
void WindowApp::refine_points_on_screen(FinePoints::Moment moment) {
  fine_points_.update(state_.measured, *session_, moment, now_ns());
  fine_points_a_.update(state_.measured_a, *session_, moment, now_ns());
}

void WindowApp::look_back() {
  say_reference();
  if (!session_->running()) return;
  state_.cine.why_not = history_.budget_bytes() == 0    ? "No history: the history memory is 0 MB."
                        : state_.fault.has_value()      ? "The stream has stopped: restart first."
                        : history_.extent().frames == 0 ? "No frames in history yet."
                                                        : "";
  const bool frozen = review_.frozen();
  inspecting_.update(state_, *session_, frozen ? Inspecting::Moment::frozen : Inspecting::Moment::live, now_ns());
  refine_points_on_screen(frozen ? FinePoints::Moment::frozen : FinePoints::Moment::live);
  try {
    review_.update(state_.cine, state_.params, *session_, now_ns());
  } catch (const std::exception& error) {
    end_other_recording(error.what());
  }
  session_->look_at_line(state_.m_mode.wanted ? state_.inspected : std::nullopt);
  m_mode_review_.update(state_, *session_, review_.frozen() ? MModeReview::Moment::frozen : MModeReview::Moment::live);
  if (review_.requests() == asked_) return;
  asked_ = review_.requests();
  asked_frame_ = window_frame_;
}

// The brightest pixel becomes 0 dB: of the frame on screen while frozen, otherwise of the next one.
void WindowApp::set_reference() {
  if (session_ == nullptr) return;
  reference_set_ = true;
  reference_before_ = viewer_->shown_image().params;
  reference_until_ns_ = now_ns() + 1'000'000'000;
  if (!review_.frozen()) {
    session_->measure_reference();
    return;
  }
  const std::vector<float> pixels = viewer_->shown_db();
  if (pixels.empty()) return;
  const double brightest = static_cast<double>(*std::max_element(pixels.begin(), pixels.end()));
  const Image& shown = viewer_->shown_image();
  const double of_selection_db = transmit_level_db(shown.params, *shown.acquisition);
  session_->hold_reference(shown.params.level.reference_db + brightest - of_selection_db);
  review_.ask_again();
}

// What the button for it did, once the picture has the new level; or that it was there already.
void WindowApp::say_reference() {
  if (!reference_before_.has_value()) return;
  const Image& shown = viewer_->shown_image();
  const double change_db = shown.params.level.reference_db - reference_before_->level.reference_db;
  const bool same_picture = same_pixels(shown.params, *reference_before_);
  if (same_picture && std::abs(change_db) < 0.05 && now_ns() < reference_until_ns_) return;
  reference_before_.reset();
  if (!same_picture) return;  // something else changed meanwhile: the difference says nothing
  say(Severity::info, std::abs(change_db) < 0.05
                          ? "0 dB is already at the brightest pixel."
                          : fmt::format("0 dB set to the brightest pixel: the image is {:.1f} dB {}.",
                                        std::abs(change_db), change_db > 0.0 ? "darker" : "brighter"));
}

}  // namespace echoloop
