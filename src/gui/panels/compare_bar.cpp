#include "gui/panels/compare_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gui/panels/cine_actions.h"

namespace echoloop {
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

// True when a recording is to be chosen.
bool side_a(BarRow& row) {
  PanelContext& c = row.c;
  const ComparedRecording& recording = c.state.cine.a_recording;
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
  if (*picked == 0 && !held) call(c.commands.compare_with, CompareSide::a, std::filesystem::path());
  return *picked + 1 == static_cast<int>(choices.size());
}

bool side_b(BarRow& row) {
  PanelContext& c = row.c;
  letter(row, CompareSide::b);
  const std::array<Choice, 2> choices = {{{c.state.source.name}, {kFileEntry}}};
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
  // Names of recordings take the room that is left.
  const float spare = std::max(0.0F, std::floor(0.5F * (bar.width() - needed(ui, *fit))));
  const float combo = std::max(ui.px(fit->combo), std::min(ui.px(fit->combo) + spare, ui.px(kWidestCombo)));
  BarRow row{c, *fit, bar, combo, bar.x0 + ui.px(8)};
  Cine& cine = c.state.cine;
  if (fit->title) {
    row.x = ui.text(Type::strong, row.x, bar.y0, bar.height(), theme::kText, "Compare") + ui.px(fit->gap);
  }
  const Tip looks{
      "Wipe or side by side", "Both images divided by a line, or two images with common zoom and pointer.", {}};
  if (const auto picked = ui.segmented("compare_look", row.next(ui.px(fit->looks)), kLooks,
                                       static_cast<int>(cine.compare_look), looks)) {
    cine.compare_look = static_cast<CompareLook>(*picked);
    call(c.commands.cine_changed);
  }
  std::optional<CompareSide> wanted;
  if (side_a(row)) wanted = CompareSide::a;
  if (side_b(row)) wanted = CompareSide::b;
  if (ui.check_box("match_levels", row.next(check_width(ui, *fit)), fit->match, cine.match_levels,
                   {"Match levels   Shift+X", kMatchHelp, std::string(why_no_act(c.state, CineAct::match_levels))})) {
    cine_act(c.state, c.commands, CineAct::match_levels);
  }
  const bool opening = !cine.a_recording.name.empty() && cine.a_recording.acquisition == nullptr;
  if (ui.button("swap", row.next(button_width(ui, fit->swap, "")), {.label = fit->swap},
                {"Swap A, B", "Exchanges the settings or recordings of A and B.", opening ? "Opening A." : ""})) {
    cine_act(c.state, c.commands, CineAct::swap);
  }
  const Rect close = row.next(button_width(ui, fit->close, fit->close_key));
  if (ui.button("compare_close", close, {.label = fit->close, .shortcut = fit->close_key},
                {"Close   X", "Ends the comparison; B remains.", {}})) {
    cine_act(c.state, c.commands, CineAct::compare);
  }
  if (fit->close.empty()) ui.cross(close.cx(), close.cy(), theme::kText2);
  ui.horizontal(bar.x0, bar.x1, bar.y1 - ui.hairline(), theme::kEdge);
  return wanted;
}

}  // namespace echoloop
