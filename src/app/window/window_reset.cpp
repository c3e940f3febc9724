#include <algorithm>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/window/window_stream.h"
#include "core/units.h"
#include "gui/screen.h"
#include "gui/state/marks.h"

namespace echoloop {
namespace {

void take_description(const Setup& wanted) {
  if (is_file_source(wanted.source)) use_description(wanted.source, wanted.description);
}

}  // namespace

Setup WindowReset::setup() const {
  const WindowState& state = state_;
  return {.source = state.source.opened_as,
          .facts = in_use_.facts,
          .description = in_use_.source == nullptr ? "" : opened_description(in_use_.source->acquisition()),
          .dismissed = with_.stream.doubts().dismissed(),
          .params = state.params,
          .stream = state.stream,
          .chosen_queue = with_.stream.chosen_queue(),
          .marks = state.marks,
          .pan_zoom = state.view.pan_zoom,
          .inspected = state.view.inspected,
          .map = state.Edits::map,
          .preset = with_.presets.active(),
          .speed = state.cine.speed,
          .view = viewer_.settings()};
}

void WindowReset::begin() {
  start_ = setup();
  start_->view = initial_view(start_->view.mode);
  reset_ns_ = now_ns();
}

// Applies a state to a running source, which is not opened again, but gets another stream.
void WindowReset::apply(const Setup& wanted) {
  if (with_.review.frozen_by_user()) with_.review.toggle_freeze();
  with_.reference.reset();
  state_.cine.compare = false;
  state_.cine.playing = false;
  ++state_.reset.count;  // increased again when the source is open: marks of either open no panel
  viewer_.reset_view();
  viewer_.restore_view(wanted.view, is_kiosk(options_) ? KeptSettings::place : KeptSettings::of_the_user);
  if (is_kiosk(options_)) viewer_.screen().present();
  take_description(wanted);
  with_.stream.doubts().set_dismissed(wanted.source, wanted.dismissed);
  with_.opening.open(wanted.source, wanted.facts, {.setup = wanted});
}

WindowState fresh_state(WindowState used) {
  WindowState fresh;
  fresh.source = std::move(used.source);
  fresh.scanner = std::move(used.scanner);
  fresh.device = std::move(used.device);
  fresh.no_effect = std::move(used.no_effect);
  fresh.lesson.offered = std::move(used.lesson.offered);
  fresh.image.method = std::move(used.image.method);
  fresh.presets = std::move(used.presets);
  fresh.opening = std::move(used.opening);
  fresh.import = std::move(used.import);
  fresh.saving.recording = std::move(used.saving.recording);
  fresh.notices.messages = std::move(used.notices.messages);
  fresh.reset = used.reset;
  fresh.cine.keep_acquiring = fresh.device.backend == "CUDA";
  return fresh;
}

void WindowReset::forget_stream() {
  with_.stream.end();
  with_.review.forget();
  engine_.history.clear();
  state_ = fresh_state(std::move(state_));
}

void WindowReset::change_source(const SourceInfo& next, const WindowOpening::Purpose& purpose,
                                const SavedSession& now) {
  WindowState& state = state_;
  if (in_use_.source != nullptr && !purpose.setup) {  // otherwise marks of the command line, or of the setup
    if (!former_) {
      const bool live = state.source.live;
      former_ = Former{{.name = in_use_.named,
                        .source = live ? nullptr : in_use_.source,
                        .facts = in_use_.facts,
                        .info = state.source},
                       setup(),
                       live ? nullptr : std::make_shared<const SavedSession>(now)};
      former_->setup.stream.paused = false;
      state.opening.former = state.source.name;
    }
    marks_[state.source.opened_as] = state.marks.list;
    clear_marks(state.marks);
    state.marks.list = marks_[next.opened_as];
    for (const Mark& mark : state.marks.list) state.marks.last_number = std::max(state.marks.last_number, mark.number);
  }
  state.view.inspected.reset();
  state.view.pan_zoom = {};
  state.cine.compare = false;
}

void WindowReset::forget_former() {
  former_.reset();
  state_.opening.former.clear();
}

void WindowReset::return_to_source() {
  Former former = std::move(*former_);
  forget_former();
  take_description(former.setup);
  done_ = "Cancelled; " + former.opened.info.name + " is shown again.";
  WindowOpening::Purpose purpose{.session = former.seen, .setup = former.setup};
  if (former.opened.source != nullptr) return with_.opening.open_again(std::move(former.opened), std::move(purpose));
  with_.opening.open(former.opened.name, former.opened.facts, std::move(purpose));
}

void WindowReset::look() {
  if (former_ && !state_.image.awaited && !state_.image.coarse) forget_former();
  reset_when_idle();
}

void WindowReset::apply_to_source(const Setup& wanted) {
  WindowState& state = state_;
  ++state.reset.count;
  state.marks = wanted.marks;
  state.view.pan_zoom = wanted.pan_zoom;
  state.view.inspected = wanted.inspected;
  state.Edits::map = wanted.map;
  state.cine.speed = wanted.speed;
  with_.presets.set_active(wanted.preset);
  state_.say(Severity::info, done_);
}

void WindowReset::reset_to_start(std::optional<Setup> undo, std::string done) {
  with_.opening.cancel();
  forget_former();
  marks_.clear();
  before_ = std::move(undo);
  done_ = std::move(done);
  state_.notices.messages.clear();
  state_.reset.undoable = before_.has_value();
  apply(*start_);
  reset_ns_ = now_ns();
}

void WindowReset::reset() {
  if (!start_.has_value()) return;  // nothing to reset yet
  reset_to_start(setup(), "Settings, view and marks reset (Ctrl+Z to undo)");
}

void WindowReset::undo() {
  if (!before_.has_value()) return;
  const Setup before = *std::exchange(before_, std::nullopt);
  state_.reset.undoable = false;
  done_ = "Undone: reset";
  apply(before);
}

// Resets a kiosk without input to the first image, without the messages of the last visitor.
void WindowReset::reset_when_idle() {
  if (!is_kiosk(options_) || !start_.has_value()) return;
  const double idle_s = viewer_.idle_s();
  const double since_reset_s = static_cast<double>(now_ns() - reset_ns_) * 1e-9;
  if (idle_s < options_.kiosk_idle_s || idle_s >= since_reset_s) return;
  reset_to_start(std::nullopt, "Reset after a pause without input.");
}

}  // namespace echoloop
