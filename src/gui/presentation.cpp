// Presentation mode (F5): the image on black with its colour bars, M-mode and sonogram where they are on, one caption
// line, and a strip for fingers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/flow_bar.h"
#include "gui/flow_colors.h"
#include "gui/number_text.h"
#include "gui/pace_badge.h"
#include "gui/screen.h"

namespace echoloop {
namespace {

constexpr float kTop = 20, kCaptionHeight = 64, kBarRoom = 92;
constexpr float kStripShare = 0.35F;  // of the width
constexpr double kHint_s = 3.0;

float pair(const Ui& ui, float x, const Rect& line, std::string_view before, std::string_view value,
           std::string_view unit) {
  const float gap = ui.px(5);
  if (!before.empty()) x = ui.text(Type::large, x, line.y0, line.height(), theme::kMuted, before) + gap;
  x = ui.text(Type::large, x, line.y0, line.height(), theme::kText, value);
  if (!unit.empty()) x = ui.text(Type::large, x + gap, line.y0, line.height(), theme::kMuted, unit);
  return x + ui.px(26);
}

float pair_width(const Ui& ui, std::string_view before, std::string_view value, std::string_view unit) {
  float w = ui.width(Type::large, value) + ui.px(26);
  if (!before.empty()) w += ui.width(Type::large, before) + ui.px(5);
  if (!unit.empty()) w += ui.width(Type::large, unit) + ui.px(5);
  return w;
}

}  // namespace

// Where things go, from the left: image, colour bars, strips of M-mode and sonogram; below them the caption, then the
// touch strip.
struct Screen::Presented {
  Rect image, strips, caption, touch;  // strips, touch: empty where there are none
};

Screen::Presented Screen::lay_out_presentation(const UiState& state) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  Presented p;
  float bottom = size.y;
  if (touch_.shown(now_ns())) {
    p.touch = {0, bottom - ui_.px(TouchStrip::kHeight), size.x, bottom};
    bottom = p.touch.y0;
  }
  p.caption = {0, bottom - ui_.px(kCaptionHeight), size.x, bottom};
  p.image = {ui_.px(20), ui_.px(kTop), size.x - ui_.px(20), p.caption.y0};
  if (view_.has_m_mode() || state.params.doppler.gate != Gate::off) {
    const float wide = std::round(kStripShare * size.x);
    p.strips = {size.x - ui_.px(20) - wide, p.image.y0 - ui_.px(6), size.x - ui_.px(20), p.caption.y0};
    p.image.x1 = p.strips.x0 - ui_.px(8);
  }
  p.image.x1 -= ui_.px(kBarRoom) * (is_overlay(state.params.color_flow.mode) ? 2.0F : 1.0F);
  return p;
}

// Beside the image: levels, and flow where it lies over the image.
void Screen::draw_presented_bars(const UiState& state) {
  const Rect& r = layout_.image;
  const float room = ui_.px(kBarRoom), top = r.y0 + ui_.px(32), least = top + ui_.px(120);
  const auto bar = [&](int index) {
    const float x = r.x1 + ui_.px(18) + static_cast<float>(index) * room;
    return Rect{x, top, x + ui_.px(18), std::max(least, r.y1 - ui_.px(10))};
  };
  draw_presented_color_bar(ui_, bar(0), state.params);
  if (state.flow.image == nullptr || !is_overlay(state.params.color_flow.mode)) return;
  layout_.flow_bar = bar(1);
  draw_flow_bar(ui_, layout_, *state.flow.image, state.params, Type::large);
}

// Source, frame, time and rate; the least needed of them go where there is no room.
void Screen::draw_presented_caption(const UiState& state, const Image& image, const Rect& line) {
  const bool picture = image.number != 0;
  const bool hint = ImGui::GetTime() - presentation_since_ < kHint_s;
  // Behind it the way back is told, then how much slower the stream is than its source.
  const float pace = pace_width(ui_, state.pace, Type::large, PaceWords::all);
  const float limit = line.x1 - (hint ? ui_.px(240) : ui_.px(24) + (pace > 0 ? pace + ui_.px(26) : 0));
  // What is on screen is always named: the source's name gives way to frame and time.
  const bool timed = picture && image.acquisition != nullptr && image.acquisition->frame_rate_hz > 0.0;
  const std::string frame = picture ? grouped(image.stamp.sequence) : "";
  const std::string time = timed ? fixed(image.stamp.time_s, 3) : "";
  float named = 0;
  if (picture) named += pair_width(ui_, "frame", frame, "");
  if (timed) named += pair_width(ui_, "t", time, "s");
  const FlowImage* flow = state.flow.image;
  const auto [flow_older, flow_unit] =
      flow != nullptr ? flow_age(*flow, state.flow.age_s) : std::pair<std::string, std::string>();
  if (flow != nullptr) named += pair_width(ui_, "flow", flow_older, flow_unit);
  // Kept frames that play are a replay.
  const bool replays = state.run == RunState::frozen && state.cine.playing;
  const RunState run = replays ? RunState::replay : state.run;
  float x = line.x0 + ui_.px(24);
  x = draw_state_badge(ui_, run, x, line.cy(), BadgeSize::large) + ui_.px(18);
  if (state.recording.on) {
    ui_.disc(x + ui_.px(6), line.cy(), 6, theme::kRed);
    x += ui_.px(26);
  }
  x = ui_.text_fitted(Type::large_strong, x, std::max(x + ui_.px(60), limit - named), line.y0, line.height(),
                      theme::kText, state.source.name) +
      ui_.px(26);
  if (picture) x = pair(ui_, x, line, "frame", frame, "");
  if (timed) x = pair(ui_, x, line, "t", time, "s");
  if (flow != nullptr) x = pair(ui_, x, line, "flow", flow_older, flow_unit);
  const auto fits = [&](float least) { return x + ui_.px(least) < limit; };
  if (replays && fits(90)) x = pair(ui_, x, line, "", fixed(state.cine.speed, state.cine.speed < 0.2 ? 1 : 2), "×");
  if (fits(80)) x = pair(ui_, x, line, "", fixed(state.params.display.dynamic_range_db, 0), "dB");
  if (fits(90)) pair(ui_, x, line, "", fixed(state.processed_fps, state.processed_fps < 100 ? 1 : 0), "fps");
  if (!hint && pace > 0) draw_pace(ui_, line.x1 - ui_.px(24) - pace, line, state.pace, Type::large, PaceWords::all);
}

void Screen::draw_presentation(PanelContext& c, const SceneInput& input) {
  UiState& state = c.state;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const ImGuiIO& io = ImGui::GetIO();
  const bool input_came = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
                          ImGui::IsAnyMouseDown() || !input.keys.empty();
  if (input_came) touch_.touch(now_ns());
  touch_.follow(state, commands_);
  const Presented p = lay_out_presentation(state);
  grounds_.push_back({{0, 0, size.x, size.y}, 0x000000});
  if (input.image.number != 0) {
    lay_out(state, input, p.image, false);
    if (beside()) draw_waiting_for_a(state, input);
    if (state.run == RunState::fault) ui_.outline(layout_.image.inset(-1), theme::kRed, 0, 2);
    draw_over_picture(state, input);
    draw_presented_bars(state);
  }
  strips_ = dock_.draw_presented(c, p.strips, input.image, input.strip);
  draw_presented_caption(state, input.image, p.caption);
  if (p.touch.height() > 0) {
    grounds_.push_back({p.touch, theme::kPanelHex});
    touch_.draw(c, p.touch);
  }
  const double age = ImGui::GetTime() - presentation_since_;
  if (age >= kHint_s) return;
  const double share = std::clamp((kHint_s - age) / 0.5, 0.0, 1.0);
  const auto alpha = static_cast<unsigned int>(255.0 * share);
  ui_.text_right(Type::body, size.x - ui_.px(20), p.caption.y0, p.caption.height(), theme::rgb(0x8F99A2, alpha),
                 "F5: show controls");
}

}  // namespace echoloop
