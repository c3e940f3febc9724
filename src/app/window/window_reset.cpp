#include "app/window/window_reset.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

Setup WindowReset::setup() const {
  const UiState& state = parts_.state;
  return {.source = state.source.opened_as,
          .facts = parts_.facts,
          .params = state.params,
          .stream = state.stream,
          .marks = state.marks,
          .pan_zoom = state.image.pan_zoom,
          .inspected = state.image.inspected,
          .preset = with_.presets.active(),
          .speed = state.cine.speed,
          .view = parts_.viewer->settings()};
}

void WindowReset::begin() {
  start_ = setup();
  start_->view = {};
  reset_ns_ = now_ns();
}

// Of the cineloop only its settings: the history stays.
void WindowReset::apply(const Setup& wanted) {
  UiState& state = parts_.state;
  if (with_.review.frozen_by_user()) with_.review.toggle_freeze();
  const Cine fresh;
  state.cine.compare = false;
  state.cine.playing = false;
  state.cine.speed = wanted.speed;
  state.cine.keep_acquiring = fresh.keep_acquiring;
  state.cine.wipe = fresh.wipe;
  state.cine.match_levels = fresh.match_levels;
  state.saving.film = {};
  parts_.viewer->reset_view();
  parts_.viewer->restore_view(wanted.view);
  state.stream = wanted.stream;
  if (state.source.opened_as != wanted.source || parts_.facts != wanted.facts || parts_.session == nullptr) {
    ++state.reset.count;
    return with_.opening.open(wanted.source, wanted.facts, {.setup = wanted});
  }
  apply_to_source(wanted);
  with_.reference.reset();
  if (state.notices.fault.has_value()) {
    with_.restart();
  } else {
    with_.apply_stream();
  }
  with_.apply_params();
}

// Counted as a reset of its own where the source was opened for it: marks that come now open no panel.
void WindowReset::apply_to_source(const Setup& wanted) {
  UiState& state = parts_.state;
  ++state.reset.count;
  state.facts.given = wanted.facts;
  state.params = wanted.params;
  state.marks = wanted.marks;
  state.image.pan_zoom = wanted.pan_zoom;
  state.image.inspected = wanted.inspected;
  with_.presets.set_active(wanted.preset);
}

void WindowReset::reset_to_start(std::optional<Setup> undo) {
  with_.opening.cancel();
  before_ = std::move(undo);
  apply(*start_);
  parts_.state.reset.undoable = before_.has_value();
  reset_ns_ = now_ns();
}

void WindowReset::reset() {
  if (!start_.has_value()) return;  // nothing was set yet
  reset_to_start(setup());
  parts_.say(Severity::info, "Everything was reset. Ctrl+Z undoes the reset.");
}

void WindowReset::undo() {
  if (!before_.has_value()) return;
  const Setup before = *std::exchange(before_, std::nullopt);
  parts_.state.reset.undoable = false;
  apply(before);
  parts_.say(Severity::info, "Undone: reset");
}

// In a kiosk the next visitor finds the first image, and none of the messages before.
void WindowReset::reset_when_idle() {
  if (!parts_.kiosk() || !start_.has_value()) return;
  const double idle_s = parts_.viewer->idle_s();
  const double since_reset_s = static_cast<double>(now_ns() - reset_ns_) * 1e-9;
  if (idle_s < parts_.options.kiosk_idle_s || idle_s >= since_reset_s) return;
  reset_to_start(std::nullopt);
  parts_.state.notices.messages.clear_settled();
  parts_.say(Severity::info, "Reset after a pause without input.");
}

}  // namespace echoloop
