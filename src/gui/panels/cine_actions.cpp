#include "gui/panels/cine_actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/param_table.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::string_view kNoImageYet = "No image of this source yet.";

std::size_t last_frame(const KeptFrames& kept) { return kept.frames > 0 ? kept.frames - 1 : 0; }

std::string_view why_not_running(const Model& model) {
  if (model.image.awaited) return kNoImageYet;
  switch (model.run) {
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
  return model.scanner.has_value() ? "Waiting for a scanner." : "No source is running.";
}

}  // namespace

bool is_still(const Model& model) {
  return model.run == RunState::frozen && model.source.frame_count == 1 && model.kept.frames == 1;
}

std::string_view why_no_freeze(const Model& model) { return is_still(model) ? kOneFrame : why_not_running(model); }

std::string_view why_no_comparison(const Model& model) {
  if (model.image.awaited) return kNoImageYet;
  if (!model.kept.why_not.empty()) return model.kept.why_not;
  if (const std::string_view why = why_not_running(model); !why.empty()) return why;
  if (model.kept.frames == 0) return "No frames in history yet.";
  return {};
}

std::string_view why_no_past(const Model& model) {
  if (const std::string_view why = why_no_comparison(model); !why.empty()) return why;
  if (model.run != RunState::frozen) return kFreezeFirst;
  return {};
}

std::string_view why_no_play(const Model& model) {
  if (const std::string_view why = why_no_past(model); !why.empty()) return why;
  return is_still(model) ? kOneFrame : "";
}

std::string_view why_no_record(const Model& model) {
  if (!model.no_effect.files.empty()) return model.no_effect.files;
  if (model.saving.recording.finishing) return "The last frames of the recording are still being written.";
  if (model.source.name.empty()) return "No source to record.";
  if (model.image.awaited) return kNoImageYet;
  return model.run == RunState::fault && !model.saving.recording.on ? "The stream has stopped. Restart it first." : "";
}

std::string_view why_no_picture(const Model& model, const Grid& shown) {
  return why_no_files(model, model.image.awaited ? kNoImageYet : shown.nx == 0 ? "No image yet." : "");
}

std::string_view why_no_act(const Model& model, const Edits& edits, CineAct act) {
  if (act != CineAct::compare && act != CineAct::swap && act != CineAct::match_levels) return why_no_play(model);
  if (const std::string_view why = why_no_comparison(model); !why.empty()) return why;
  if (act == CineAct::compare) return {};
  if (!edits.cine.compare) return "Compare is off.";
  const bool weights = shows_weight(edits.params.formation) || shows_weight(edits.cine.a.formation);
  return act == CineAct::match_levels && weights ? "These are weights, not levels. Choose Show > Image." : "";
}

void freeze(const Model& model, Commands& commands) {
  if (why_no_freeze(model).empty()) commands.send(command::ToggleFreeze{});
}

void cine_seek(const Model& model, Edits& edits, Commands& commands, std::size_t index) {
  if (!why_no_past(model).empty()) return;
  Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  const std::size_t to = std::min(index, last_frame(kept));
  if (to == cine.index && !cine.playing) return;
  cine.index = to;
  cine.playing = false;
  commands.send(command::CineChanged{});
}

void cine_act(const Model& model, Edits& edits, Commands& commands, CineAct act) {
  if (!why_no_act(model, edits, act).empty()) return;
  Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  const std::size_t last = last_frame(kept);
  switch (act) {
    case CineAct::first:
      return cine_seek(model, edits, commands, 0);
    case CineAct::back:
      return cine_seek(model, edits, commands, cine.index > 0 ? cine.index - 1 : 0);
    case CineAct::forward:
      return cine_seek(model, edits, commands, cine.index + 1);
    case CineAct::last:
      return cine_seek(model, edits, commands, last);
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
      if (cine.compare) cine.a = edits.params;
      break;
    case CineAct::match_levels:
      cine.match_levels = !cine.match_levels;
      break;
    case CineAct::swap:
      if (!kept.a_recording.name.empty()) return commands.send(command::SwapRecordings{});
      std::swap(cine.a, edits.params);
      commands.send(command::ParamsChanged{});
      break;
  }
  commands.send(command::CineChanged{});
}

void SharedDisplay::follow(const Model& model, Edits& edits) {
  ImagingParams& a = edits.cine.a;
  const ImagingParams& b = edits.params;
  const bool edited = edits.cine.compare && loads_ == model.presets.loads && a.display == a_.display;
  for (const ParamSpec& spec : param_table()) {
    if (!edited || spec.member.part != kPart<&ImagingParams::display>) continue;
    const double before = get_number(b_, spec), now = get_number(b, spec);
    if (now != before && get_number(a, spec) == before) set_number(a, spec, now);
  }
  a.display.mirrored = b.display.mirrored;  // both sides are
  a_ = a;
  b_ = b;
  loads_ = model.presets.loads;
}

void keep_cine_valid(const Model& model, Edits& edits, Commands& commands) {
  Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  if (model.run == RunState::fault && std::exchange(cine.compare, false)) commands.send(command::CineChanged{});
  if (model.run != RunState::frozen || kept.frames == 0) return;
  const std::size_t last = last_frame(kept);
  const auto before = std::pair(cine.index, std::pair(cine.mark_in, cine.mark_out));
  cine.index = std::min(cine.index, last);
  if (cine.mark_out > last || cine.mark_in > cine.mark_out || (cine.mark_out == 0 && last > 0)) {
    cine.mark_in = 0;
    cine.mark_out = last;
  }
  if (before != std::pair(cine.index, std::pair(cine.mark_in, cine.mark_out))) commands.send(command::CineChanged{});
}

std::string_view newest_name(const Model& model) { return image_rests(model) ? "newest" : "now"; }

double cine_time_s(const KeptFrames& kept, std::size_t index) {
  if (kept.times_s.size() == kept.frames && index < kept.frames) return static_cast<double>(kept.times_s[index]);
  if (kept.frames < 2) return 0;
  return -kept.seconds * static_cast<double>(last_frame(kept) - std::min(index, last_frame(kept))) /
         static_cast<double>(last_frame(kept));
}

std::string cine_time_text(const KeptFrames& kept, std::size_t index) {
  const double apart_s = kept.frames > 1 ? kept.seconds / static_cast<double>(last_frame(kept)) : 0.0;
  constexpr double kNearly = 0.01;  // 2 %: 0.1 ms by inexact clocks
  const int decimals =
      apart_s > 0.0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(apart_s) - kNearly)), 2, 6) : 2;
  return fixed(cine_time_s(kept, index), decimals) + " s";
}

double cine_share(const KeptFrames& kept, std::size_t index) {
  if (kept.seconds > 0) return std::clamp(1 + cine_time_s(kept, index) / kept.seconds, 0.0, 1.0);
  return kept.frames > 1 ? static_cast<double>(index) / static_cast<double>(last_frame(kept)) : 1.0;
}

std::size_t nearest_frame(const KeptFrames& kept, double share) {
  const double wanted = std::clamp(share, 0.0, 1.0);
  if (kept.times_s.size() != kept.frames || kept.frames == 0 || kept.seconds <= 0) {
    return static_cast<std::size_t>(std::lround(wanted * static_cast<double>(last_frame(kept))));
  }
  const auto t = static_cast<float>((wanted - 1) * kept.seconds);
  const auto& times = kept.times_s;
  const auto after = std::lower_bound(times.begin(), times.end(), t);
  if (after == times.end()) return last_frame(kept);
  const auto at = static_cast<std::size_t>(after - times.begin());
  return at > 0 && t - times[at - 1] < *after - t ? at - 1 : at;
}

namespace {

constexpr std::array<Choice, 2> kLooks = {{{"Wipe"}, {"Side by side"}}};
constexpr std::string_view kMatchHelp =
    "Shows B through the monotonic map that gives it A's histogram. Only the order of brightness remains different. "
    "Display only: measurements, gCNR and saved levels are unchanged.";
constexpr std::string_view kFileEntry = "Recording…";

// Widths at scale 1, from a wide bar to a narrow one.
struct CompareFit {
  bool title;
  float looks, combo;
  std::string_view match, swap, close, close_key;
  float gap;
};
constexpr std::array<CompareFit, 5> kCompareFits = {{{true, 190, 180, "Match levels", "Swap A, B", "Close", "X", 16},
                                                     {false, 180, 150, "Match levels", "Swap A, B", "Close", "X", 12},
                                                     {false, 160, 120, "Match", "Swap", "Close", "", 8},
                                                     {false, 148, 84, "Match", "Swap", "", "", 6},
                                                     {false, 132, 48, "Match", "Swap", "", "", 4}}};
constexpr float kWidestCombo = 180;

float button_width(const Ui& ui, std::string_view label, std::string_view key) {
  if (label.empty()) return ui.px(theme::kRow);
  return ui.width(Type::body, label) + ui.px(20) + (key.empty() ? 0 : ui.px(8) + ui.width(Type::small, key));
}

float check_width(const Ui& ui, const CompareFit& f) { return ui.px(24) + ui.width(Type::body, f.match); }

float needed(const Ui& ui, const CompareFit& f) {
  const float sides = 2 * (ui.px(22) + ui.px(6) + ui.px(f.combo));
  const float title = f.title ? ui.width(Type::strong, "Compare") + ui.px(f.gap) : 0;
  return title + ui.px(f.looks) + sides + check_width(ui, f) + button_width(ui, f.swap, "") +
         button_width(ui, f.close, f.close_key) + 5 * ui.px(f.gap) + 2 * ui.px(8);
}

struct BarRow {
  PanelContext& c;
  const CompareFit& fit;
  Rect bar;
  float combo;  // its width in pixels
  float x;
  Rect next(float width) {
    const float h = c.ui.px(theme::kRow), y = std::round(bar.cy() - 0.5F * h);
    const Rect r{x, y, x + width, y + h};
    x = r.x1 + c.ui.px(fit.gap);
    return r;
  }
};

void letter(BarRow& row, CompareSide side) {
  const Ui& ui = row.c.ui;
  draw_side_letter(ui, side, row.x, std::round(row.bar.cy() - 0.5F * ui.px(20)));
  row.x += ui.px(22) + ui.px(6);
}

// Returns true if a recording should be chosen.
bool side_a(BarRow& row) {
  PanelContext& c = row.c;
  const ComparedRecording& recording = c.model.kept.a_recording;
  const bool held = recording.name.empty();
  letter(row, CompareSide::a);
  std::vector<Choice> choices = {{"Stored settings"}};
  if (!held) choices.push_back({recording.name});
  choices.push_back({kFileEntry});
  const bool narrow = c.ui.combo_width(choices[0].label) > row.combo;
  const auto picked = c.ui.combo(
      "compare/a", row.next(row.combo), held && narrow ? Choice{"Stored"} : choices[held ? 0 : 1], choices,
      held ? 0 : 1,
      {"A", "The recording of B with the settings at the start of the comparison, or another recording.", {}});
  if (!picked) return false;
  if (*picked == 0 && !held) c.commands.send(command::CompareWith{CompareSide::a, std::filesystem::path()});
  return *picked + 1 == static_cast<int>(choices.size());
}

bool side_b(BarRow& row) {
  PanelContext& c = row.c;
  letter(row, CompareSide::b);
  const std::array<Choice, 2> choices = {{{c.model.source.name}, {kFileEntry}}};
  const Choice shown = row.fit.title ? Choice{"This recording"} : choices[0];
  const auto picked = c.ui.combo(
      "compare/b", row.next(row.combo), shown, choices, 0,
      {"B", "Current recording, controlled by the panels. Choosing another recording moves this one to A.", {}});
  return picked == 1;
}

}  // namespace

void draw_side_letter(const Painter& p, CompareSide side, float x, float y) {
  const Rect r{x, y, x + p.px(22), y + p.px(20)};
  p.fill(r, side == CompareSide::a ? theme::kText : theme::kAccent, 4);
  p.text_centred(Type::strong, r, theme::kInk, side == CompareSide::a ? "A" : "B");
}

std::optional<CompareSide> draw_compare_bar(PanelContext& c, const Rect& bar) {
  Ui& ui = c.ui;
  const CompareFit* fit = &kCompareFits.back();
  for (const CompareFit& f : kCompareFits) {
    if (needed(ui, f) > bar.width()) continue;
    fit = &f;
    break;
  }
  // Gives the remaining width to names of recordings.
  const float spare = std::max(0.0F, std::floor(0.5F * (bar.width() - needed(ui, *fit))));
  const float combo = std::max(ui.px(fit->combo), std::min(ui.px(fit->combo) + spare, ui.px(kWidestCombo)));
  BarRow row{c, *fit, bar, combo, bar.x0 + ui.px(8)};
  Cine& cine = c.edits.cine;
  const KeptFrames& kept = c.model.kept;
  if (fit->title) {
    row.x = ui.text(Type::strong, row.x, bar.y0, bar.height(), theme::kText, "Compare") + ui.px(fit->gap);
  }
  const Tip looks{
      "Wipe or side by side", "Both images divided by a line, or two images with common zoom and pointer.", {}};
  if (const auto picked = ui.segmented("compare_look", row.next(ui.px(fit->looks)), kLooks,
                                       static_cast<int>(cine.compare_look), looks)) {
    cine.compare_look = static_cast<CompareLook>(*picked);
    c.commands.send(command::CineChanged{});
  }
  std::optional<CompareSide> wanted;
  if (side_a(row)) wanted = CompareSide::a;
  if (side_b(row)) wanted = CompareSide::b;
  if (ui.check_box(
          "match_levels", row.next(check_width(ui, *fit)), fit->match, cine.match_levels,
          {"Match levels   Shift+X", kMatchHelp, std::string(why_no_act(c.model, c.edits, CineAct::match_levels))})) {
    cine_act(c.model, c.edits, c.commands, CineAct::match_levels);
  }
  const bool opening = !kept.a_recording.name.empty() && kept.a_recording.acquisition == nullptr;
  if (ui.button("swap", row.next(button_width(ui, fit->swap, "")), {.label = fit->swap},
                {"Swap A, B", "Exchanges the settings or recordings of A and B.", opening ? "Opening A." : ""})) {
    cine_act(c.model, c.edits, c.commands, CineAct::swap);
  }
  const Rect close = row.next(button_width(ui, fit->close, fit->close_key));
  if (ui.button("compare_close", close, {.label = fit->close, .shortcut = fit->close_key},
                {"Close   X", "Ends the comparison; B remains.", {}})) {
    cine_act(c.model, c.edits, c.commands, CineAct::compare);
  }
  if (fit->close.empty()) ui.cross(close.cx(), close.cy(), theme::kText2);
  ui.horizontal(bar.x0, bar.x1, bar.y1 - ui.hairline(), theme::kEdge);
  return wanted;
}

}  // namespace echoloop
