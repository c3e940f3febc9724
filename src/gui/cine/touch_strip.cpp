#include "gui/cine/touch_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kTarget = 76;  // least side of what a finger hits, at scale 1
constexpr float kLeastTrack = 48;
constexpr float kReset = 80;        // width of Reset
constexpr float kEverySpeed = 440;  // room of all speeds and the track
constexpr std::int64_t kHideAfter_ns = 10'000'000'000;
constexpr std::int64_t kEnding_ns = 500'000'000;
constexpr double kReplay_s = 3.0;  // that slow motion goes back

struct Speed {
  double factor;
  const char* id;
  std::string_view label;
};
constexpr std::array<Speed, 4> kTouchSpeeds = {{{0.1, "touch/speed_0.1", "0.1×"},
                                                {0.25, "touch/speed_0.25", "0.25×"},
                                                {0.5, "touch/speed_0.5", "0.5×"},
                                                {1.0, "touch/live", "1×"}}};

enum class KeyGround { plain, chosen, primary };

struct TouchButton {
  const char* id;
  std::string_view label;
  std::string_view name;  // where it has no label
  KeyGround ground = KeyGround::plain;
  std::string_view why_not = {};
};

struct Touched {
  bool clicked;
  ImU32 ink;
};

Touched button(Ui& ui, const Rect& r, const TouchButton& b, float label_x) {
  const bool enabled = b.why_not.empty();
  const std::string_view name = b.label.empty() ? b.name : b.label;
  const Hit h = ui.control(b.id, r, FocusKind::button, name);
  ui.tip(b.id, h, r, {name, {}, b.why_not});
  const bool primary = b.ground == KeyGround::primary && enabled;
  ui.fill(r,
          primary                         ? (h.held ? theme::kAccentHover : theme::kAccent)
          : b.ground == KeyGround::chosen ? theme::kSelected
          : h.held && enabled             ? theme::kHover
                                          : theme::kField,
          8);
  const ImU32 ink = !enabled ? theme::kDisabled : primary ? theme::kInk : theme::kText;
  const Type type = primary || b.ground == KeyGround::chosen ? Type::large_strong : Type::large;
  ui.text_centred(type, {r.x0 + label_x, r.y0, r.x1, r.y1}, ink, b.label);
  return {h.clicked && enabled, ink};
}

}  // namespace

bool TouchStrip::shown(std::int64_t now_ns) const { return now_ns - touched_ns_ < kHideAfter_ns; }

bool TouchStrip::ending(std::int64_t now_ns) const {
  return std::abs(now_ns - touched_ns_ - kHideAfter_ns) < kEnding_ns;
}

// Below 1: the last seconds again and again; 1: live.
void TouchStrip::choose_speed(PanelContext& c, double speed) {
  const bool frozen = c.state.run == RunState::frozen;
  wanted_speed_.reset();
  if (speed >= 1.0) {
    if (frozen) freeze(c.state, c.commands);
    return;
  }
  wanted_speed_ = speed;
  wanted_since_s_ = ImGui::GetTime();
  if (!frozen) freeze(c.state, c.commands);
}

void TouchStrip::follow(UiState& state, const UiCommands& commands) {
  constexpr double kPatience_s = 2.0;
  if (!wanted_speed_.has_value()) return;
  if (ImGui::GetTime() - wanted_since_s_ > kPatience_s) return wanted_speed_.reset();
  if (!why_no_past(state).empty()) return;
  Cine& cine = state.cine;
  const bool whole = cine.mark_in == 0 && cine.mark_out + 1 == cine.frames;
  if (whole && cine.seconds > kReplay_s) cine.mark_in = nearest_frame(cine, 1.0 - kReplay_s / cine.seconds);
  if (!cine.playing) cine.index = std::max(cine.mark_in, cine.index >= cine.mark_out ? cine.mark_in : cine.index);
  cine.speed = *wanted_speed_;
  cine.playing = true;
  wanted_speed_.reset();
  call(commands.cine_changed);
}

void TouchStrip::draw_speeds(PanelContext& c, Rect& row) {
  Ui& ui = c.ui;
  const UiState& s = c.state;
  constexpr std::string_view kTitle = "Slow motion";
  const float gap = ui.px(6);
  if (row.width() > ui.px(900)) {
    row.x0 = ui.text(Type::medium, row.x0 + ui.px(10), row.y0, row.height(), theme::kText2, kTitle) + ui.px(16);
  }
  const bool frozen = s.run == RunState::frozen;
  const std::string_view why = frozen ? why_no_play(s) : s.cine.why_not.empty() ? why_no_freeze(s) : s.cine.why_not;
  const float w = std::clamp(row.width() / 12.0F, ui.px(kTarget), ui.px(92));
  const bool every = row.width() >= ui.px(kEverySpeed);
  for (const Speed& speed : kTouchSpeeds) {
    if (!every && speed.factor != 0.25 && speed.factor != 1.0) continue;
    const Rect r{row.x0, row.y0, row.x0 + w, row.y1};
    const bool chosen = speed.factor >= 1.0 ? !frozen && !wanted_speed_.has_value()
                                            : frozen && s.cine.playing && s.cine.speed == speed.factor;
    if (button(ui, r, {speed.id, speed.label, {}, chosen ? KeyGround::chosen : KeyGround::plain, why}, 0).clicked) {
      choose_speed(c, speed.factor);
    }
    row.x0 = r.x1 + gap;
  }
  row.x0 += ui.px(14);
}

void TouchStrip::draw_track(PanelContext& c, const Rect& row) {
  Ui& ui = c.ui;
  const UiState& s = c.state;
  const Cine& cine = s.cine;
  const float y = row.cy() - ui.px(8);
  const Rect track{row.x0 + ui.px(12), y - ui.px(5), row.x1 - ui.px(12), y + ui.px(5)};
  if (track.width() < ui.px(kLeastTrack)) return;
  drag_.use(c, "touch/track", track, row);
  ui.fill(track, theme::kField, 5);
  const bool frozen = s.run == RunState::frozen;
  if (cine.frames == 0) return;
  if (is_still(s)) {
    ui.text_fitted(Type::medium, track.x0, track.x1, y + ui.px(16), ui.px(24), theme::kText2, kOneFrame);
    return;
  }
  const auto x_of = [&](double share) { return std::round(track.x0 + static_cast<float>(share) * track.width()); };
  const float head = frozen ? x_of(cine_share(cine, cine.index)) : track.x1;
  ui.fill({track.x0, track.y0, head, track.y1}, image_rests(s) ? theme::kHistoryBefore : theme::kAccent, 5);
  ui.disc(head, track.cy(), 16, theme::kPanel);
  ui.disc(head, track.cy(), 13, theme::kText);
  const float line = ui.px(24), below = y + ui.px(16);
  const std::string first = fixed(-cine.seconds, cine.seconds < 9.95 ? 1 : 0) + " s";
  const std::string_view last = newest_name(s);
  const float gap = ui.px(12), last_x = track.x1 - ui.width(Type::medium, last);
  float first_end = track.x0;
  if (first_end + ui.width(Type::medium, first) + gap < last_x) {
    first_end = ui.text(Type::medium, track.x0, below, line, theme::kText2, first);
  }
  ui.text(Type::medium, last_x, below, line, theme::kText2, last);
  if (!frozen) return;
  const std::string at = cine_time_text(cine, cine.index);
  const float w = ui.width(Type::medium, at);
  const float x = std::clamp(head - 0.5F * w, track.x0, track.x1 - w);
  if (x > first_end + gap && x + w + gap < last_x) ui.text(Type::medium, x, below, line, theme::kText, at);
}

void TouchStrip::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  const UiState& s = c.state;
  ui.horizontal(r.x0, r.x1, r.y0, theme::kLine2);
  const float pad = ui.px(24), gap = ui.px(8), side = ui.px(kTarget);
  Rect row{r.x0 + pad, std::round(r.cy() - 0.5F * side), r.x1 - pad, std::round(r.cy() + 0.5F * side)};
  const bool frozen = s.run == RunState::frozen;
  const float freeze_w = std::clamp(0.15F * row.width(), ui.px(124), ui.px(216));
  const Rect main{row.x0, row.y0, row.x0 + freeze_w, row.y1};
  const Touched froze = button(
      ui, main, {"touch/freeze", frozen ? "Resume" : "Freeze", {}, KeyGround::primary, why_no_freeze(s)}, ui.px(28));
  const float icon_x = main.x0 + ui.px(32);
  if (frozen) {
    ui.play(icon_x, main.cy(), froze.ink);
  } else {
    ui.pause(icon_x, main.cy(), froze.ink);
  }
  if (froze.clicked) freeze(c.state, c.commands);
  row.x0 = main.x1 + ui.px(16);
  struct Step {
    const char* id;
    std::string_view name;
    CineAct act;
    Direction direction;
  };
  for (const Step& step : {Step{"touch/back", "Step back", CineAct::back, Direction::left},
                           Step{"touch/forward", "Step forward", CineAct::forward, Direction::right}}) {
    const Rect b{row.x0, row.y0, row.x0 + side, row.y1};
    const Touched stepped = button(ui, b, {step.id, {}, step.name, KeyGround::plain, why_no_play(s)}, 0);
    const float lean = step.direction == Direction::left ? -1.0F : 1.0F;
    ui.triangle(b.cx() + lean * ui.px(9), b.cy(), step.direction, stepped.ink, 20);
    if (stepped.clicked) cine_act(c.state, c.commands, step.act);
    row.x0 = b.x1 + gap;
  }
  row.x0 += ui.px(8);
  const Rect reset{row.x1 - ui.px(kReset), row.y0, row.x1, row.y1};
  row.x1 = reset.x0 - ui.px(14);
  draw_speeds(c, row);
  draw_track(c, row);
  if (button(ui, reset, {"touch/reset", "Reset", {}}, 0).clicked) call(c.commands.reset);
}

}  // namespace echoloop
