#include "app/window/window_review.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/overlay/m_mode_columns.h"

namespace echoloop {

WindowReview::WindowReview(WindowState& state, OneFrame one_frame, Engine& engine, Viewer& viewer,
                           ComparedSource& compared, std::function<void()> apply_stream)
    : state_(state),
      one_frame_(one_frame),
      engine_(engine),
      viewer_(viewer),
      apply_stream_(std::move(apply_stream)),
      playback_(engine.history, &compared),
      inspector_(engine.history, engine.inspections),
      difference_(engine.history),
      fine_points_(engine.history),
      fine_points_a_(engine.history),
      m_mode_review_(engine.history, engine.past.line) {}

void WindowReview::toggle_freeze() {
  if (engine_.session == nullptr || state_.notices.fault.has_value()) return;
  if (frozen_by_itself_) {  // going live resumes the source
    state_.stream.paused = false;
    if (engine_.session->producer_state() == ProducerState::ended) state_.stream.loop = true;
  } else if (playback_.frozen()) {
    go_live();
  } else {
    freeze(viewer_.drawn_image().stamp.sequence);
  }
  apply_stream_();
}

void WindowReview::freeze(std::uint64_t sequence) {
  playback_.freeze(state_.cine, state_.kept, sequence);
  engine_.trace.count_latencies_from(kNoLatencies);
}

void WindowReview::go_live() {
  playback_.resume(state_.cine, state_.kept, *engine_.session);
  engine_.trace.count_latencies_from(now_ns());
}

void WindowReview::forget() {
  playback_.forget(state_.cine, state_.kept);
  inspector_.forget(state_);
  fine_points_.forget(state_.measured);
  fine_points_a_.forget(state_.measured_a);
  frozen_by_itself_ = false;
}

void WindowReview::follow() {
  if (!frozen_by_user()) return forget();
  playback_.ask_again();
  inspector_.forget(state_);
  fine_points_.forget(state_.measured);
  fine_points_a_.forget(state_.measured_a);
}

void WindowReview::stream_failed() {
  if (playback_.frozen()) playback_.forget(state_.cine, state_.kept);
}

bool WindowReview::plays_once() const {
  const SourceInfo& source = state_.source;
  return source.frame_count == 1 && one_frame_ == OneFrame::once && source.acquisition != nullptr &&
         engine_.history.budget_bytes() >= source.acquisition->frame_bytes();
}

StreamSettings WindowReview::adjusted(StreamSettings stream) const {
  stream.loop = stream.loop && !plays_once();
  stream.paused = stream.paused || (frozen_by_user() && !state_.cine.keep_acquiring);
  if (frame_to_freeze_) stream.policy = RingPolicy::block;  // a dropped frame would not be repeated
  return stream;
}

// Freezes when a source is paused, or a recording at its end: no live images, so controls act on the history at once.
void WindowReview::freeze_when_still(NewImage last) {
  const WindowState& state = state_;
  if (!engine_.session->running()) return;
  const bool still = state.stream.paused || engine_.session->producer_state() == ProducerState::ended;
  if (frozen_by_itself_ && !still) {
    frozen_by_itself_ = false;
    go_live();
  }
  // True if no frame was finished since before the last window frame polled for an image, without result.
  const Image& image = viewer_.shown_image();
  const bool no_news = last == NewImage::no && state.numbers.counts.processed == processed_seen_;
  const bool all_shown = image.number != 0 && no_news && state.numbers.counts.in_flight == 0;
  processed_seen_ = state.numbers.counts.processed;
  if (still && all_shown && !playback_.frozen() && !state.notices.fault.has_value()) {
    frozen_by_itself_ = true;
    freeze(image.stamp.sequence);
  }
}

void WindowReview::freeze_restored_frame() {
  if (!frame_to_freeze_ || state_.notices.fault.has_value()) return;
  const Image& shown = viewer_.shown_image();
  const std::int64_t began_ns = engine_.session->started_ns();  // the image on screen may be from the previous stream
  const bool come = began_ns != 0 && shown.ready_ns >= began_ns && !is_before(shown.stamp.sequence, *frame_to_freeze_);
  if (!come && !playback_.frozen()) return;
  const std::uint64_t frame = *std::exchange(frame_to_freeze_, std::nullopt);
  if (!playback_.frozen()) playback_.freeze(state_.cine, state_.kept, frame);
  apply_stream_();
}

// Checks if the image on screen is the requested one, and since when it is not.
void WindowReview::look_at_work() {
  WindowState& state = state_;
  const Image& shown = viewer_.drawn_image();
  const FormationParams& wanted = state.params.formation;
  const bool current = shown.number == 0 || (frozen() ? playback_.answered_by(shown)
                                                      : shown.params.formation == wanted &&
                                                            shown.params.transmits == state.params.transmits);
  const bool other = std::exchange(requests_seen_, playback_.requests()) != playback_.requests() ||
                     std::exchange(wanted_, wanted) != wanted;
  ImageWork& work = state.image.work;
  work.remaining_s = engine_.backend->remaining_s();
  work.since_ns = current ? 0 : work.since_ns == 0 || other ? now_ns() : work.since_ns;
}

void WindowReview::update() {
  WindowState& state = state_;
  Session& session = *engine_.session;
  look_at_work();
  if (!session.running()) return;
  state.kept.why_not = engine_.history.budget_bytes() == 0    ? "No history: the history memory is 0 MB."
                       : state.notices.fault.has_value()      ? "The stream has stopped: restart first."
                       : engine_.history.extent().frames == 0 ? "No frames in history yet."
                                                              : "";
  const bool frozen = playback_.frozen();
  inspector_.update(state, session, frozen ? InspectorController::Moment::frozen : InspectorController::Moment::live,
                    now_ns());
  // Updates both sides of a comparison. If A is another recording, whose frames are not in the history, its points keep
  // the numbers of the image's pixels, with the reason.
  const FinePoints::Moment moment = frozen ? FinePoints::Moment::frozen : FinePoints::Moment::live;
  fine_points_.update(state.measured, session, moment, now_ns());
  fine_points_a_.update(state.measured_a, session, moment, now_ns());
  difference_.update(
      state, session, viewer_.shown_image(), [this] { return viewer_.shown_db(); }, now_ns());
  session.look_at_line(state.view.m_mode.wanted ? state.view.inspected : std::nullopt);
  playback_.update(state.cine, state.kept, state.params, session, now_ns());
  m_mode_review_.update(state, session, playback_.frozen() ? MModeReview::Moment::frozen : MModeReview::Moment::live);
}

}  // namespace echoloop
