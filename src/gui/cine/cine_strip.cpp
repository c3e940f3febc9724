#include "gui/cine/cine_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/docks/docks.h"
#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

float track_x(const Rect& track, double share) {
  return std::round(track.x0 + static_cast<float>(share) * track.width());
}

void draw_track(const Ui& ui, const Model& model, const Edits& edits, const Rect& track) {
  const Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  ui.fill(track, theme::kField, 4);
  if (kept.frames == 0 || is_still(model)) return;
  if (model.run != RunState::frozen) {
    ui.fill(track, image_rests(model) ? theme::kHistoryBefore : theme::kAccent, 4);
    ui.disc(track.x1 - ui.px(1), track.cy(), 9, theme::kPanel);
    ui.disc(track.x1 - ui.px(1), track.cy(), 7.5F, theme::kText);
    return;
  }
  // Frames outside the loop, which are not played: only the field and a thin line.
  ui.fill({track.x0 + ui.px(2), track.cy() - ui.px(1), track.x1 - ui.px(2), track.cy() + ui.px(1)},
          theme::kHistoryAfter, 1);
  const float in = track_x(track, cine_share(kept, cine.mark_in));
  const float out = track_x(track, cine_share(kept, cine.mark_out));
  const float head = track_x(track, cine_share(kept, cine.index));
  ui.fill({in, track.y0, out, track.y1}, theme::kHistoryAfter, 4);
  ui.fill({in, track.y0, std::clamp(head, in, out), track.y1}, theme::kHistoryBefore, 4);
}

// Returns the number of frames missing between a kept frame and the one before it.
std::uint64_t missing_before(const KeptFrames& kept, std::size_t index) {
  if (index == 0 || kept.stamps.size() != kept.frames) return 0;
  const std::uint64_t now = kept.stamps[index].sequence, before = kept.stamps[index - 1].sequence;
  return is_before(before, now) ? now - before - 1 : 0;
}

// Draws ticks where frames are missing, through the track; one per pixel.
void draw_missing(const Ui& ui, const KeptFrames& kept, const Rect& track) {
  float last = -1;
  for (std::size_t i = 1; i < kept.stamps.size(); ++i) {
    if (missing_before(kept, i) == 0) continue;
    const float x = track_x(track, 0.5 * (cine_share(kept, i - 1) + cine_share(kept, i)));
    if (x != std::exchange(last, x)) ui.vertical(x, track.y0 - ui.px(3), track.y1 + ui.px(3), theme::kText2);
  }
}

// Draws the mean level of the frames, the mean of each pixel's, over at least 6 dB.
void draw_levels(const Ui& ui, const KeptFrames& kept, const Rect& track, const Rect& box) {
  constexpr float kLeast_db = 6.0F;
  std::vector<ImVec2> line;
  float low = 1e9F, high = -1e9F;
  int in_pixel = 0;
  for (std::size_t i = 0; i < kept.levels_db.size(); ++i) {
    if (!std::isfinite(kept.levels_db[i])) continue;
    const float x = track_x(track, cine_share(kept, i)), db = kept.levels_db[i];
    low = std::min(low, db);
    high = std::max(high, db);
    in_pixel = !line.empty() && line.back().x == x ? in_pixel + 1 : 1;
    if (in_pixel == 1) line.push_back({x, db});
    line.back().y += (db - line.back().y) / static_cast<float>(in_pixel);
  }
  if (line.size() < 2) return;
  const float middle = 0.5F * (low + high), per_db = box.height() / std::max(high - low, kLeast_db);
  for (ImVec2& p : line) p.y = box.cy() - (p.y - middle) * per_db;
  compat::add_polyline(ui.list(), line.data(), static_cast<int>(line.size()), theme::kHistoryBefore, ui.px(1));
}

// Draws number and time of the frame under the pointer below the track, as its tooltip is above.
void draw_pointed(const Ui& ui, const Model& model, const Rect& track) {
  const KeptFrames& kept = model.kept;
  if (kept.stamps.size() != kept.frames || kept.frames < 2) return;
  const float pointer = ImGui::GetIO().MousePos.x;
  const std::size_t index = nearest_frame(kept, static_cast<double>((pointer - track.x0) / track.width()));
  std::string text =
      fmt::format("frame {}  {}", numbers_of(model.source).text(kept.stamps[index]), cine_time_text(kept, index));
  if (const std::uint64_t missing = missing_before(kept, index); missing > 0) {
    text += fmt::format("  {} missing before", grouped(missing));
  }
  const float w = ui.width(Type::small, text) + ui.px(12), y = track.y1 + ui.px(4);
  const float x = std::round(std::clamp(pointer - 0.5F * w, track.x0, track.x1 - w));
  const Rect chip{x, y, x + w, y + ui.px(19)};
  ui.fill(chip, theme::kHover, 3);
  ui.text(Type::small, chip.x0 + ui.px(6), chip.y0, chip.height(), theme::kText, text);
}

struct StripMark {
  const char* id;
  CineAct reset;
  bool in;  // left mark
};

void mark_by_key(PanelContext& c, const StripMark& mark, const Hit& h) {
  Cine& cine = c.edits.cine;
  const KeptFrames& kept = c.model.kept;
  for (const KeyPress& press : h.keys) {
    const std::ptrdiff_t by = frame_steps(press);
    std::size_t& at = mark.in ? cine.mark_in : cine.mark_out;
    if (press.key == Key::remove) cine_act(c.model, c.edits, c.commands, mark.reset);
    if (by == 0 || kept.frames < 2) continue;
    const auto least = static_cast<std::ptrdiff_t>(mark.in ? 0 : cine.mark_in + 1);
    const auto most = static_cast<std::ptrdiff_t>(mark.in ? cine.mark_out - 1 : kept.frames - 1);
    at = static_cast<std::size_t>(std::clamp(static_cast<std::ptrdiff_t>(at) + by, least, std::max(least, most)));
    c.commands.send(command::CineChanged{});
  }
}

// Draws a mark above the track, so that it never covers the playhead.
void draw_mark(PanelContext& c, const Rect& track, const StripMark& mark) {
  Ui& ui = c.ui;
  Cine& cine = c.edits.cine;
  const KeptFrames& kept = c.model.kept;
  const std::size_t last = kept.frames - 1;
  std::size_t& at = mark.in ? cine.mark_in : cine.mark_out;
  const float x = track_x(track, cine_share(kept, at));
  const float lean = mark.in ? 1.0F : -1.0F;
  const Rect grip{x - ui.px(9), track.y0 - ui.px(15), x + ui.px(9), track.y0 - ui.px(2)};
  const Hit h = ui.control(mark.id, grip, FocusKind::slider);
  ui.tip(mark.id, h, grip,
         {mark.in ? "Loop start" : "Loop end",
          mark.in ? "Start of the playback loop. Drag, or press I to set at the playhead; right-click to reset."
                  : "End of the playback loop. Drag, or press O to set at the playhead; right-click to reset.",
          {}});
  if (h.hovered || h.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (h.right) cine_act(c.model, c.edits, c.commands, mark.reset);
  mark_by_key(c, mark, h);
  if (h.held && last > 0) {
    const std::size_t wanted =
        nearest_frame(kept, static_cast<double>((ImGui::GetIO().MousePos.x - track.x0) / track.width()));
    const std::size_t to =
        mark.in ? std::min(wanted, cine.mark_out - 1) : std::min(std::max(wanted, cine.mark_in + 1), last);
    if (to != at) {
      at = to;
      c.commands.send(command::CineChanged{});
    }
  }
  const bool moved = at != (mark.in ? std::size_t{0} : last);
  const ImU32 color = h.hovered || h.held ? theme::kAccentHover : moved ? theme::kAccent : theme::kMuted;
  const float w = ui.px(2);
  const float left = mark.in ? x : x - w;
  ui.fill({left, track.y0 - ui.px(12), left + w, track.y1 + ui.px(2)}, color);
  const ImVec2 flag[3] = {
      {x, track.y0 - ui.px(12)}, {x + lean * ui.px(8), track.y0 - ui.px(8)}, {x, track.y0 - ui.px(4)}};
  if (mark.in) {
    ui.list().AddTriangleFilled(flag[0], flag[1], flag[2], color);
  } else {
    ui.list().AddTriangleFilled(flag[2], flag[1], flag[0], color);
  }
}

// Returns the smallest of 1, 2, 5 x 10^k seconds whose labels fit.
double tick_step_s(double seconds, float width, float least) {
  for (double power = 1e-5; power < 1e5; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power / seconds * static_cast<double>(width) >= static_cast<double>(least)) return factor * power;
    }
  }
  return seconds;
}

int decimals_of(double step_s) { return std::clamp(static_cast<int>(std::ceil(-std::log10(step_s) - 1e-9)), 0, 5); }

std::string span_label(const KeptFrames& kept, int decimals) {
  std::string length = fixed(-kept.seconds, kept.seconds < 9.95 ? std::max(decimals, 1) : decimals);
  return fmt::format("{} s · {}", length, counted_grouped(kept.frames, "frame"));
}

// Draws seconds before the newest frame below the track; the playhead's time replaces labels that it overlaps.
void draw_labels(const Ui& ui, const Model& model, const Edits& edits, const Rect& track, float y) {
  const Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  const float h = ui.px(16);
  if (kept.frames == 0 || is_still(model)) {
    ui.text_fitted(Type::small, track.x0, track.x1, y, h, theme::kMuted, why_no_play(model));
    return;
  }
  const bool frozen = model.run == RunState::frozen;
  const double step = kept.seconds > 0 ? tick_step_s(kept.seconds, track.width(), ui.px(110)) : 0;
  const int decimals = kept.seconds > 0 ? decimals_of(step) : 0;
  const std::string first = span_label(kept, decimals);
  const float gap = ui.px(14);
  float head0 = track.x1;
  float head1 = track.x1;
  if (frozen) {
    const std::string text = cine_time_text(kept, cine.index);
    const float w = ui.width(Type::badge, text);
    const float x = track_x(track, cine_share(kept, cine.index));
    head0 = std::clamp(x - 0.5F * w, track.x0, track.x1 - w);
    head1 = head0 + w;
    ui.text(Type::badge, head0, y, h, theme::kText, text);
  }
  const auto free = [&](float x0, float x1) { return !frozen || x1 + gap < head0 || x0 - gap > head1; };
  const auto label = [&](float x0, const std::string& text) {
    if (free(x0, x0 + ui.width(Type::small, text))) ui.text(Type::small, x0, y, h, theme::kText2, text);
  };
  const float first_end = track.x0 + ui.width(Type::small, first);
  label(track.x0, first);
  const std::string last(newest_name(model));
  const float now_x = track.x1 - ui.width(Type::small, last);
  label(now_x, last);
  ui.vertical(track.x1 - ui.hairline(), track.y1 + ui.px(4), track.y1 + ui.px(8), theme::kTick);
  for (int i = 1; step > 0 && i < 200 && i * step < kept.seconds; ++i) {
    const float x = track_x(track, 1 - i * step / kept.seconds);
    ui.vertical(x, track.y1 + ui.px(4), track.y1 + ui.px(8), theme::kTick);
    const std::string text = fixed(-i * step, decimals) + " s";
    const float w = ui.width(Type::small, text);
    if (x - 0.5F * w > first_end + gap && x + 0.5F * w + gap < now_x) label(x - 0.5F * w, text);
  }
}

}  // namespace

void CineStrip::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y0, theme::kEdge);
  const float x0 = r.x0 + ui.px(c.compact ? 12 : 16);
  const float x1 = r.x1 - ui.px(c.compact ? 12 : 16);
  const float top = r.y0 + ui.px(c.compact ? 15 : 19);
  const Rect track{x0, top, x1, top + ui.px(8)};
  const bool hovered = drag_.use(c, "cine_track", track,
                                 {track.x0 - ui.px(6), track.y0 - ui.px(2), track.x1 + ui.px(6), track.y1 + ui.px(22)});
  const bool plays = why_no_play(c.model).empty();
  if (plays) draw_levels(ui, c.model.kept, track, {track.x0, r.y0 + ui.px(3), track.x1, track.y0 - ui.px(3)});
  draw_track(ui, c.model, c.edits, track);
  if (plays) {
    draw_missing(ui, c.model.kept, track);
    draw_mark(c, track, {"mark_in", CineAct::reset_in, true});
    draw_mark(c, track, {"mark_out", CineAct::reset_out, false});
    const float head = track_x(track, cine_share(c.model.kept, c.edits.cine.index));
    ui.disc(head, track.cy(), 9, theme::kPanel);
    ui.disc(head, track.cy(), 7.5F, theme::kText);
  }
  draw_labels(ui, c.model, c.edits, track, track.y1 + ui.px(c.compact ? 7 : 10));
  if (hovered && plays) draw_pointed(ui, c.model, track);
  draw_cine_buttons(c, x0, x1, r.y1 - ui.px(c.compact ? 8 : 12) - ui.px(theme::kRow));
  draw_save_panel(c, x1, r.y0 - ui.px(6));  // leaves the marks visible, which choose a video's frames
}

namespace {

std::string track_help(const KeptFrames& kept) {
  std::string text = counted_grouped(kept.frames, "frame") + " in history";
  if (kept.bytes > 0) text += ", " + byte_text(kept.bytes);
  if (kept.bytes > 0 && kept.budget_bytes > 0) text += " of " + byte_text(kept.budget_bytes);
  return text + ". Click or drag to show a frame; a live stream is frozen first.";
}

void by_key(PanelContext& c, const Hit& h) {
  for (const KeyPress& press : h.keys) {
    const std::ptrdiff_t by = frame_steps(press);
    if (press.key == Key::home) cine_act(c.model, c.edits, c.commands, CineAct::first);
    if (press.key == Key::end) cine_act(c.model, c.edits, c.commands, CineAct::last);
    const auto last = static_cast<std::ptrdiff_t>(c.model.kept.frames) - 1;
    const auto now = static_cast<std::ptrdiff_t>(c.edits.cine.index);
    if (by != 0 && last > 0) {
      cine_seek(c.model, c.edits, c.commands, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + by, 0, last)));
    }
  }
}

}  // namespace

std::ptrdiff_t frame_steps(const KeyPress& press) {
  const std::ptrdiff_t arrow = press.shift ? 10 : 1;
  if (press.key == Key::left || press.key == Key::down) return -arrow;
  if (press.key == Key::right || press.key == Key::up) return arrow;
  return press.key == Key::page_down ? -10 : press.key == Key::page_up ? 10 : 0;
}

bool TrackDrag::use(PanelContext& c, const char* id, const Rect& track, const Rect& area) {
  Ui& ui = c.ui;
  const Hit h = ui.control(id, area, FocusKind::slider);
  const std::string help = track_help(c.model.kept);
  const bool can_freeze = c.model.run != RunState::frozen && why_no_freeze(c.model).empty() &&
                          c.model.kept.frames > 0 && c.model.kept.why_not.empty();
  const std::string_view why = can_freeze ? std::string_view() : why_no_past(c.model);
  ui.tip(id, h, area, {"History", help, why});
  if (!why.empty()) {
    wanted_.reset();
    return false;
  }
  by_key(c, h);
  const double share = static_cast<double>((ImGui::GetIO().MousePos.x - track.x0) / std::max(track.width(), 1.0F));
  if (c.model.run == RunState::frozen) {
    if (h.held) wanted_ = share;
    if (wanted_) cine_seek(c.model, c.edits, c.commands, nearest_frame(c.model.kept, *wanted_));
    wanted_.reset();
    return h.hovered;
  }
  constexpr double kPatience_s = 2;
  if (h.pressed) {
    wanted_since_ = ImGui::GetTime();
    wanted_ = share;
    freeze(c.model, c.commands);
  } else if (wanted_ && h.held) {
    wanted_ = share;
  } else if (wanted_ && ImGui::GetTime() - wanted_since_ > kPatience_s) {
    wanted_.reset();
  }
  return h.hovered;
}

namespace {

constexpr float kTarget = 76;  // minimum side of touch targets, at scale 1
constexpr float kLeastTrack = 48;
constexpr float kReset = 80;        // width of Reset
constexpr float kEverySpeed = 440;  // width for all speeds and the track
constexpr std::int64_t kHideAfter_ns = 10'000'000'000;
constexpr std::int64_t kEnding_ns = 500'000'000;
constexpr double kReplay_s = 3.0;  // length of the slow-motion loop

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
  std::string_view name;  // if it has no label
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

// Chooses a speed; below 1: loops over the last seconds; 1: live.
void TouchStrip::choose_speed(PanelContext& c, double speed) {
  const bool frozen = c.model.run == RunState::frozen;
  wanted_speed_.reset();
  if (speed >= 1.0) {
    if (frozen) freeze(c.model, c.commands);
    return;
  }
  wanted_speed_ = speed;
  wanted_since_s_ = ImGui::GetTime();
  if (!frozen) freeze(c.model, c.commands);
}

void TouchStrip::follow(const Model& model, Edits& edits, Commands& commands) {
  constexpr double kPatience_s = 2.0;
  if (!wanted_speed_.has_value()) return;
  if (ImGui::GetTime() - wanted_since_s_ > kPatience_s) return wanted_speed_.reset();
  if (!why_no_past(model).empty()) return;
  Cine& cine = edits.cine;
  const KeptFrames& kept = model.kept;
  const bool whole = cine.mark_in == 0 && cine.mark_out + 1 == kept.frames;
  if (whole && kept.seconds > kReplay_s) cine.mark_in = nearest_frame(kept, 1.0 - kReplay_s / kept.seconds);
  if (!cine.playing) cine.index = std::max(cine.mark_in, cine.index >= cine.mark_out ? cine.mark_in : cine.index);
  cine.speed = *wanted_speed_;
  cine.playing = true;
  wanted_speed_.reset();
  commands.send(command::CineChanged{});
}

void TouchStrip::draw_speeds(PanelContext& c, Rect& row) {
  Ui& ui = c.ui;
  constexpr std::string_view kTitle = "Slow motion";
  const float gap = ui.px(6);
  if (row.width() > ui.px(900)) {
    row.x0 = ui.text(Type::medium, row.x0 + ui.px(10), row.y0, row.height(), theme::kText2, kTitle) + ui.px(16);
  }
  const bool frozen = c.model.run == RunState::frozen;
  const std::string_view why = frozen                         ? why_no_play(c.model)
                               : c.model.kept.why_not.empty() ? why_no_freeze(c.model)
                                                              : c.model.kept.why_not;
  const float w = std::clamp(row.width() / 12.0F, ui.px(kTarget), ui.px(92));
  const bool every = row.width() >= ui.px(kEverySpeed);
  for (const Speed& speed : kTouchSpeeds) {
    if (!every && speed.factor != 0.25 && speed.factor != 1.0) continue;
    const Rect r{row.x0, row.y0, row.x0 + w, row.y1};
    const bool chosen = speed.factor >= 1.0 ? !frozen && !wanted_speed_.has_value()
                                            : frozen && c.edits.cine.playing && c.edits.cine.speed == speed.factor;
    if (button(ui, r, {speed.id, speed.label, {}, chosen ? KeyGround::chosen : KeyGround::plain, why}, 0).clicked) {
      choose_speed(c, speed.factor);
    }
    row.x0 = r.x1 + gap;
  }
  row.x0 += ui.px(14);
}

void TouchStrip::draw_track(PanelContext& c, const Rect& row) {
  Ui& ui = c.ui;
  const Cine& cine = c.edits.cine;
  const KeptFrames& kept = c.model.kept;
  const float y = row.cy() - ui.px(8);
  const Rect track{row.x0 + ui.px(12), y - ui.px(5), row.x1 - ui.px(12), y + ui.px(5)};
  if (track.width() < ui.px(kLeastTrack)) return;
  drag_.use(c, "touch/track", track, row);
  ui.fill(track, theme::kField, 5);
  const bool frozen = c.model.run == RunState::frozen;
  if (kept.frames == 0) return;
  if (is_still(c.model)) {
    ui.text_fitted(Type::medium, track.x0, track.x1, y + ui.px(16), ui.px(24), theme::kText2, kOneFrame);
    return;
  }
  const auto x_of = [&](double share) { return std::round(track.x0 + static_cast<float>(share) * track.width()); };
  const float head = frozen ? x_of(cine_share(kept, cine.index)) : track.x1;
  ui.fill({track.x0, track.y0, head, track.y1}, image_rests(c.model) ? theme::kHistoryBefore : theme::kAccent, 5);
  ui.disc(head, track.cy(), 16, theme::kPanel);
  ui.disc(head, track.cy(), 13, theme::kText);
  const float line = ui.px(24), below = y + ui.px(16);
  const std::string first = fixed(-kept.seconds, kept.seconds < 9.95 ? 1 : 0) + " s";
  const std::string_view last = newest_name(c.model);
  const float gap = ui.px(12), last_x = track.x1 - ui.width(Type::medium, last);
  float first_end = track.x0;
  if (first_end + ui.width(Type::medium, first) + gap < last_x) {
    first_end = ui.text(Type::medium, track.x0, below, line, theme::kText2, first);
  }
  ui.text(Type::medium, last_x, below, line, theme::kText2, last);
  if (!frozen) return;
  const std::string at = cine_time_text(kept, cine.index);
  const float w = ui.width(Type::medium, at);
  const float x = std::clamp(head - 0.5F * w, track.x0, track.x1 - w);
  if (x > first_end + gap && x + w + gap < last_x) ui.text(Type::medium, x, below, line, theme::kText, at);
}

void TouchStrip::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y0, theme::kLine2);
  const float pad = ui.px(24), gap = ui.px(8), side = ui.px(kTarget);
  Rect row{r.x0 + pad, std::round(r.cy() - 0.5F * side), r.x1 - pad, std::round(r.cy() + 0.5F * side)};
  const bool frozen = c.model.run == RunState::frozen;
  const float freeze_w = std::clamp(0.15F * row.width(), ui.px(124), ui.px(216));
  const Rect main{row.x0, row.y0, row.x0 + freeze_w, row.y1};
  const Touched froze =
      button(ui, main, {"touch/freeze", frozen ? "Resume" : "Freeze", {}, KeyGround::primary, why_no_freeze(c.model)},
             ui.px(28));
  const float icon_x = main.x0 + ui.px(32);
  if (frozen) {
    ui.play(icon_x, main.cy(), froze.ink);
  } else {
    ui.pause(icon_x, main.cy(), froze.ink);
  }
  if (froze.clicked) freeze(c.model, c.commands);
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
    const Touched stepped = button(ui, b, {step.id, {}, step.name, KeyGround::plain, why_no_play(c.model)}, 0);
    const float lean = step.direction == Direction::left ? -1.0F : 1.0F;
    ui.triangle(b.cx() + lean * ui.px(9), b.cy(), step.direction, stepped.ink, 20);
    if (stepped.clicked) cine_act(c.model, c.edits, c.commands, step.act);
    row.x0 = b.x1 + gap;
  }
  row.x0 += ui.px(8);
  const Rect reset{row.x1 - ui.px(kReset), row.y0, row.x1, row.y1};
  row.x1 = reset.x0 - ui.px(14);
  draw_speeds(c, row);
  draw_track(c, row);
  if (button(ui, reset, {"touch/reset", "Reset", {}}, 0).clicked) c.commands.send(command::Reset{});
}

}  // namespace echoloop
