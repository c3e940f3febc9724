// WindowApp's reset: everything that can be set, as it was when the window opened; by key, by control, and by itself
// where the program stands in a kiosk and is left alone.
#include "app/window_app.h"
#include "core/units.h"

namespace echoloop {
Setup WindowApp::setup() const {
  return {.source = state_.source.opened_as,
          .facts = facts_,
          .params = state_.params,
          .stream = state_.stream,
          .marks = state_.marks,
          .pan_zoom = state_.pan_zoom,
          .inspected = state_.inspected,
          .preset = active_preset_,
          .speed = state_.cine.speed,
          .view = viewer_->settings()};
}

// Of the cineloop only what can be set: what is kept stays.
void WindowApp::apply_setup(const Setup& wanted) {
  if (review_.frozen() && !frozen_by_itself_) toggle_freeze();
  Cine fresh;
  state_.cine.compare = false;
  state_.cine.playing = false;
  state_.cine.speed = wanted.speed;
  state_.cine.keep_acquiring = fresh.keep_acquiring;
  state_.cine.wipe = fresh.wipe;
  state_.saving.film = {};
  viewer_->reset_view();
  viewer_->restore_view(wanted.view);
  state_.stream = wanted.stream;
  if (state_.source.opened_as == wanted.source && facts_ == wanted.facts && session_ != nullptr) {
    take_setup(wanted);
    if (std::exchange(reference_set_, false)) session_->measure_reference();
    if (state_.fault.has_value()) {
      restart(wanted.stream);
    } else {
      apply_stream();
    }
    apply_params();
    return;
  }
  ++state_.resets;
  next_setup_ = wanted;
  open(wanted.source, wanted.facts);
}

// What belongs to the source that runs. A reset of its own for the window where the source was opened for it: marks
// that come now open no panel.
void WindowApp::take_setup(const Setup& wanted) {
  ++state_.resets;
  state_.facts = wanted.facts;
  state_.params = wanted.params;
  state_.marks = wanted.marks;
  state_.pan_zoom = wanted.pan_zoom;
  state_.inspected = wanted.inspected;
  active_preset_ = wanted.preset;
  describe_presets();
}

void WindowApp::reset(ResetCause cause) {
  if (!start_.has_value()) return;  // nothing was set yet
  opener_.cancel();
  before_reset_.reset();
  if (cause == ResetCause::user) before_reset_ = setup();
  apply_setup(*start_);
  if (cause == ResetCause::idle) forget_messages();
  state_.reset_undoable = before_reset_.has_value();
  reset_ns_ = now_ns();
  say(Severity::info, cause == ResetCause::user ? "Everything was reset. Ctrl+Z undoes the reset."
                                                : "Reset after a pause without input.");
}

void WindowApp::undo_reset() {
  if (!before_reset_.has_value()) return;
  const Setup before = *std::exchange(before_reset_, std::nullopt);
  state_.reset_undoable = false;
  apply_setup(before);
  say(Severity::info, "Undone: reset");
}

// All but those whose cause remains.
void WindowApp::forget_messages() {
  std::erase_if(state_.messages, [](const Message& m) { return m.cause.empty() || m.stay != Stay::as_newest; });
}

// In a kiosk: who comes next finds the start image.
void WindowApp::reset_when_idle() {
  if (options_.kiosk_idle_s <= 0.0) return;
  const double idle_s = viewer_->idle_s();
  const double since_reset_s = static_cast<double>(now_ns() - reset_ns_) * 1e-9;
  if (idle_s >= options_.kiosk_idle_s && idle_s < since_reset_s) reset(ResetCause::idle);
}

}  // namespace echoloop
