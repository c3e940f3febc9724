#include "gui/panels/cine_actions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/param_table.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::string_view kNoImageYet = "No image of this source yet.";

std::size_t last_frame(const Cine& cine) { return cine.frames > 0 ? cine.frames - 1 : 0; }

std::string_view why_not_running(const UiState& state) {
  if (state.image.awaited) return kNoImageYet;
  switch (state.run) {
    case RunState::live:
    case RunState::replay:
    case RunState::frozen:
      return {};
    case RunState::fault:
      return "The stream has stopped.";
    case RunState::opening:
    case RunState::still:
    case RunState::waiting:
    case RunState::no_sender:
    case RunState::idle:
      break;
  }
  return state.scanner.has_value() ? "Waiting for a scanner." : "No source is running.";
}

}  // namespace

bool is_still(const UiState& state) {
  return state.run == RunState::frozen && state.source.frame_count == 1 && state.cine.frames == 1;
}

std::string_view why_no_freeze(const UiState& state) { return is_still(state) ? kOneFrame : why_not_running(state); }

std::string_view why_no_comparison(const UiState& state) {
  if (state.image.awaited) return kNoImageYet;
  if (!state.cine.why_not.empty()) return state.cine.why_not;
  if (const std::string_view why = why_not_running(state); !why.empty()) return why;
  if (state.cine.frames == 0) return "No frames in history yet.";
  return {};
}

std::string_view why_no_past(const UiState& state) {
  if (const std::string_view why = why_no_comparison(state); !why.empty()) return why;
  if (state.run != RunState::frozen) return kFreezeFirst;
  return {};
}

std::string_view why_no_play(const UiState& state) {
  if (const std::string_view why = why_no_past(state); !why.empty()) return why;
  return is_still(state) ? kOneFrame : "";
}

std::string_view why_no_record(const UiState& state) {
  if (!state.no_effect.files.empty()) return state.no_effect.files;
  if (state.saving.recording.finishing) return "The last frames of the recording are still being written.";
  if (state.source.name.empty()) return "No source to record.";
  if (state.image.awaited) return kNoImageYet;
  return state.run == RunState::fault && !state.saving.recording.on ? "The stream has stopped. Restart it first." : "";
}

std::string_view why_no_picture(const UiState& state, const Grid& shown) {
  return why_no_files(state, state.image.awaited ? kNoImageYet : shown.nx == 0 ? "No image yet." : "");
}

std::string_view why_no_act(const UiState& state, CineAct act) {
  if (act != CineAct::compare && act != CineAct::swap && act != CineAct::match_levels) return why_no_play(state);
  if (const std::string_view why = why_no_comparison(state); !why.empty()) return why;
  if (act == CineAct::compare) return {};
  if (!state.cine.compare) return "Compare is off.";
  const bool weights = shows_weight(state.params.formation) || shows_weight(state.cine.a.formation);
  return act == CineAct::match_levels && weights ? "These are weights, not levels. Choose Show > Image." : "";
}

void freeze(const UiState& state, const UiCommands& commands) {
  if (why_no_freeze(state).empty()) call(commands.toggle_freeze);
}

void cine_seek(UiState& state, const UiCommands& commands, std::size_t index) {
  if (!why_no_past(state).empty()) return;
  Cine& cine = state.cine;
  const std::size_t to = std::min(index, last_frame(cine));
  if (to == cine.index && !cine.playing) return;
  cine.index = to;
  cine.playing = false;
  call(commands.cine_changed);
}

void cine_act(UiState& state, const UiCommands& commands, CineAct act) {
  if (!why_no_act(state, act).empty()) return;
  Cine& cine = state.cine;
  const std::size_t last = last_frame(cine);
  switch (act) {
    case CineAct::first:
      return cine_seek(state, commands, 0);
    case CineAct::back:
      return cine_seek(state, commands, cine.index > 0 ? cine.index - 1 : 0);
    case CineAct::forward:
      return cine_seek(state, commands, cine.index + 1);
    case CineAct::last:
      return cine_seek(state, commands, last);
    case CineAct::play:
      cine.playing = !cine.playing;
      break;
    case CineAct::mark_in:
      cine.mark_in = cine.index;
      if (cine.mark_out <= cine.mark_in) cine.mark_out = last;
      break;
    case CineAct::mark_out:
      cine.mark_out = cine.index;
      if (cine.mark_in >= cine.mark_out) cine.mark_in = 0;
      break;
    case CineAct::reset_in:
      cine.mark_in = 0;
      break;
    case CineAct::reset_out:
      cine.mark_out = last;
      break;
    case CineAct::compare:
      cine.compare = !cine.compare;
      if (cine.compare) cine.a = state.params;
      break;
    case CineAct::match_levels:
      cine.match_levels = !cine.match_levels;
      break;
    case CineAct::swap:
      if (!cine.a_recording.name.empty()) return call(commands.swap_recordings);
      std::swap(cine.a, state.params);
      call(commands.params_changed);
      break;
  }
  call(commands.cine_changed);
}

void SharedDisplay::follow(UiState& state) {
  ImagingParams& a = state.cine.a;
  const ImagingParams& b = state.params;
  const bool edited = state.cine.compare && loads_ == state.presets.loads && a.display == a_.display;
  for (const ParamSpec& spec : param_table()) {
    if (!edited || spec.part != ParamPart::display) continue;
    const double before = get_number(b_, spec), now = get_number(b, spec);
    if (now != before && get_number(a, spec) == before) set_number(a, spec, now);
  }
  a_ = a;
  b_ = b;
  loads_ = state.presets.loads;
}

void keep_cine_valid(UiState& state, const UiCommands& commands) {
  Cine& cine = state.cine;
  if (state.run == RunState::fault && std::exchange(cine.compare, false)) call(commands.cine_changed);
  if (state.run != RunState::frozen || cine.frames == 0) return;
  const std::size_t last = last_frame(cine);
  const auto before = std::pair(cine.index, std::pair(cine.mark_in, cine.mark_out));
  cine.index = std::min(cine.index, last);
  if (cine.mark_out > last || cine.mark_in > cine.mark_out || (cine.mark_out == 0 && last > 0)) {
    cine.mark_in = 0;
    cine.mark_out = last;
  }
  if (before != std::pair(cine.index, std::pair(cine.mark_in, cine.mark_out))) call(commands.cine_changed);
}

std::string_view newest_name(const UiState& state) { return image_rests(state) ? "newest" : "now"; }

double cine_time_s(const Cine& cine, std::size_t index) {
  if (cine.times_s.size() == cine.frames && index < cine.frames) return static_cast<double>(cine.times_s[index]);
  if (cine.frames < 2) return 0;
  return -cine.seconds * static_cast<double>(last_frame(cine) - std::min(index, last_frame(cine))) /
         static_cast<double>(last_frame(cine));
}

std::string cine_time_text(const Cine& cine, std::size_t index) {
  const double apart_s = cine.frames > 1 ? cine.seconds / static_cast<double>(last_frame(cine)) : 0.0;
  constexpr double kNearly = 0.01;  // 2 %: 0.1 ms by clocks that are not exact
  const int decimals =
      apart_s > 0.0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(apart_s) - kNearly)), 2, 6) : 2;
  return fixed(cine_time_s(cine, index), decimals) + " s";
}

double cine_share(const Cine& cine, std::size_t index) {
  if (cine.seconds > 0) return std::clamp(1 + cine_time_s(cine, index) / cine.seconds, 0.0, 1.0);
  return cine.frames > 1 ? static_cast<double>(index) / static_cast<double>(last_frame(cine)) : 1.0;
}

std::size_t nearest_frame(const Cine& cine, double share) {
  const double wanted = std::clamp(share, 0.0, 1.0);
  if (cine.times_s.size() != cine.frames || cine.frames == 0 || cine.seconds <= 0) {
    return static_cast<std::size_t>(std::lround(wanted * static_cast<double>(last_frame(cine))));
  }
  const auto t = static_cast<float>((wanted - 1) * cine.seconds);
  const auto& times = cine.times_s;
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  if (after == times.end()) return last_frame(cine);
  const auto at = static_cast<std::size_t>(after - times.begin());
  return at > 0 && t - times[at - 1] < *after - t ? at - 1 : at;
}

}  // namespace echoloop
