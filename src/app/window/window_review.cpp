#include "app/window/window_review.h"

#include <utility>

#include "core/sequence.h"
#include "core/units.h"

namespace echoloop {

WindowReview::WindowReview(WindowParts& parts, ComparedSource& compared, std::function<void()> apply_stream)
    : parts_(parts),
      apply_stream_(std::move(apply_stream)),
      playback_(parts.history, &compared),
      inspector_(parts.history, parts.inspections),
      fine_points_(parts.history),
      fine_points_a_(parts.history),
      m_mode_review_(parts.history, parts.past.line) {}

void WindowReview::toggle_freeze() {
  if (parts_.session == nullptr || parts_.state.notices.fault.has_value()) return;
  if (frozen_by_itself_) {  // going live means that the source goes on
    parts_.state.stream.paused = false;
    if (parts_.session->producer_state() == ProducerState::ended) parts_.state.stream.loop = true;
  } else if (playback_.frozen()) {
    go_live();
  } else {
    freeze(parts_.viewer->shown_image().stamp.sequence);
  }
  apply_stream_();
}

void WindowReview::freeze(std::uint64_t sequence) {
  playback_.freeze(parts_.state.cine, sequence);
  parts_.trace.count_latencies_from(kNoLatencies);
}

void WindowReview::go_live() {
  playback_.resume(parts_.state.cine, *parts_.session);
  parts_.trace.count_latencies_from(now_ns());
}

void WindowReview::forget() {
  playback_.forget(parts_.state.cine);
  inspector_.forget(parts_.state);
  fine_points_.forget(parts_.state.image.measured);
  fine_points_a_.forget(parts_.state.image.measured_a);
  frozen_by_itself_ = false;
}

void WindowReview::follow() {
  if (!frozen_by_user()) return forget();
  playback_.ask_again();
  inspector_.forget(parts_.state);
  fine_points_.forget(parts_.state.image.measured);
  fine_points_a_.forget(parts_.state.image.measured_a);
}

void WindowReview::stream_failed() {
  if (playback_.frozen()) playback_.forget(parts_.state.cine);
}

bool WindowReview::plays_once() const {
  const SourceInfo& source = parts_.state.source;
  const auto& options = parts_.options;
  return source.frame_count == 1 && !options.loop_given && options.frames == 0 && source.acquisition != nullptr &&
         parts_.history.budget_bytes() >= source.acquisition->frame_bytes();
}

StreamSettings WindowReview::adjusted(StreamSettings stream) const {
  stream.loop = stream.loop && !plays_once();
  stream.paused = stream.paused || (frozen_by_user() && !parts_.state.cine.keep_acquiring);
  if (frame_to_freeze_) stream.policy = RingPolicy::block;  // a dropped frame would not come again
  return stream;
}

// A paused source, or a recording at its end: there is nothing live to see, so the controls act on the history at once.
void WindowReview::freeze_when_still(NewImage last) {
  const UiState& state = parts_.state;
  if (!parts_.session->running()) return;
  const bool still = state.stream.paused || parts_.session->producer_state() == ProducerState::ended;
  if (frozen_by_itself_ && !still) {
    frozen_by_itself_ = false;
    go_live();
  }
  // No frame was finished since before the last window frame polled for an image, and there was none.
  const Image& image = parts_.viewer->shown_image();
  const bool no_news = last == NewImage::no && state.numbers.counts.processed == processed_seen_;
  const bool all_shown = image.number != 0 && no_news && state.numbers.counts.in_flight == 0;
  processed_seen_ = state.numbers.counts.processed;
  if (still && all_shown && !playback_.frozen() && !state.notices.fault.has_value()) {
    frozen_by_itself_ = true;
    freeze(image.stamp.sequence);
  }
}

void WindowReview::freeze_restored_frame() {
  if (!frame_to_freeze_ || parts_.state.notices.fault.has_value()) return;
  const Image& shown = parts_.viewer->shown_image();
  const std::int64_t began_ns = parts_.session->started_ns();  // the image on screen may be of the stream before
  const bool come = began_ns != 0 && shown.ready_ns >= began_ns && !is_before(shown.stamp.sequence, *frame_to_freeze_);
  if (!come && !playback_.frozen()) return;
  const std::uint64_t frame = *std::exchange(frame_to_freeze_, std::nullopt);
  if (!playback_.frozen()) playback_.freeze(parts_.state.cine, frame);
  apply_stream_();
}

// Whether the image on screen is the one that was asked for, and since when it is not.
void WindowReview::look_at_work() {
  UiState& state = parts_.state;
  const Image& shown = parts_.viewer->shown_image();
  const FormationParams& wanted = state.params.formation;
  const bool current = shown.number == 0 || (frozen() ? playback_.answered_by(shown)
                                                      : shown.params.formation == wanted &&
                                                            shown.params.transmits == state.params.transmits);
  const bool other = std::exchange(requests_seen_, playback_.requests()) != playback_.requests() ||
                     std::exchange(wanted_, wanted) != wanted;
  ImageWork& work = state.image.work;
  work.remaining_s = parts_.backend->remaining_s();
  work.since_ns = current ? 0 : work.since_ns == 0 || other ? now_ns() : work.since_ns;
}

void WindowReview::update() {
  UiState& state = parts_.state;
  Session& session = *parts_.session;
  look_at_work();
  if (!session.running()) return;
  state.cine.why_not = parts_.history.budget_bytes() == 0    ? "No history: the history memory is 0 MB."
                       : state.notices.fault.has_value()     ? "The stream has stopped: restart first."
                       : parts_.history.extent().frames == 0 ? "No frames in history yet."
                                                             : "";
  const bool frozen = playback_.frozen();
  inspector_.update(state, session, frozen ? InspectorController::Moment::frozen : InspectorController::Moment::live,
                    now_ns());
  // Of both sides of a comparison. Where A is another recording, whose frames are not in the history, its points keep
  // the numbers of the image's pixels, with the reason.
  const FinePoints::Moment moment = frozen ? FinePoints::Moment::frozen : FinePoints::Moment::live;
  fine_points_.update(state.image.measured, session, moment, now_ns());
  fine_points_a_.update(state.image.measured_a, session, moment, now_ns());
  session.look_at_line(state.image.m_mode.wanted ? state.image.inspected : std::nullopt);
  playback_.update(state.cine, state.params, session, now_ns());
  m_mode_review_.update(state, session, playback_.frozen() ? MModeReview::Moment::frozen : MModeReview::Moment::live);
}

}  // namespace echoloop
