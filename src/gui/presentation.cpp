// Presentation mode (Tab): the picture alone on black, one caption line, a scale bar beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/flow_bar.h"
#include "gui/flow_colors.h"
#include "gui/number_text.h"
#include "gui/pace_badge.h"
#include "gui/scale_bar.h"
#include "gui/screen.h"

namespace echoloop {
namespace {

constexpr float kTop = 20, kCaptionHeight = 64;

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

// Beside the picture where there is room, otherwise in its corner.
void Screen::draw_presented_scale_bar() {
  const Ui& ui = ui_;
  const PictureLayout& l = layout_;
  const double length_mm = scale_bar_mm(l);
  const auto w = static_cast<float>(std::round(length_mm * l.px_per_mm()));
  const float x = l.image.x1 + ui.px(28);
  if (x + w > ImGui::GetIO().DisplaySize.x - ui.px(12)) return draw_scale_bar(ui, l, ScaleBarType::large);
  const float y = l.image.y1 - ui.px(6);
  ui.text(Type::large, x, y - ui.px(38), ui.px(28), theme::kText2,
          fixed(length_mm, decimals_of_125(length_mm)) + " mm");
  ui.fill({x, y - ui.px(1), x + w, y + ui.px(1)}, theme::kText2);
  ui.fill({x, y - ui.px(7), x + ui.hairline(), y}, theme::kText2);
  ui.fill({x + w - ui.hairline(), y - ui.px(7), x + w, y}, theme::kText2);
}

// Beside the picture, where there is room.
void Screen::draw_presented_flow_bar(const UiState& state) {
  const Rect& r = layout_.image;
  const float x = r.x1 + ui_.px(28);
  if (state.flow.image == nullptr || !is_overlay(state.params.flow)) return;
  if (x + ui_.px(70) > ImGui::GetIO().DisplaySize.x) return;
  layout_.flow_bar = {x, r.y0 + ui_.px(30), x + ui_.px(18), r.y0 + 0.6F * r.height()};
  draw_flow_bar(ui_, layout_, *state.flow.image, state.params);
}

void Screen::draw_presentation(UiState& state, const SceneInput& input) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  grounds_.push_back({{0, 0, size.x, size.y}, 0x000000});
  const Rect line{0, size.y - ui_.px(kCaptionHeight), size.x, size.y};
  const bool picture = input.image.number != 0;
  float x = ui_.px(24);
  if (picture) {
    layout_ = place_picture({ui_.px(20), ui_.px(kTop), size.x - ui_.px(20), line.y0}, input.image.grid, input.scale,
                            state.pan_zoom);
    x = std::min(layout_.image.x0, 0.4F * size.x);
    if (state.run == RunState::fault) ui_.outline(layout_.image.inset(-1), theme::kRed, 0, 2);
    draw_over_picture(state, input);
    draw_presented_flow_bar(state);
  }
  // Behind it the way back is told, then how much slower the stream is than its source.
  const float pace = pace_width(ui_, state.pace, Type::large, PaceWords::all);
  const float limit = size.x - std::max(ui_.px(240), pace + ui_.px(100));
  // What is on screen is always named: the source's name gives way to frame and time.
  const bool timed = picture && input.image.acquisition != nullptr && input.image.acquisition->frame_rate_hz > 0.0;
  const std::string frame = picture ? grouped(input.image.stamp.sequence) : "";
  const std::string time = timed ? fixed(input.image.stamp.time_s, 3) : "";
  float named = 0;
  if (picture) named += pair_width(ui_, "frame", frame, "");
  if (timed) named += pair_width(ui_, "", time, "s");
  const FlowImage* flow = state.flow.image;
  const auto [flow_older, flow_unit] =
      flow != nullptr ? flow_age(*flow, state.flow.age_s) : std::pair<std::string, std::string>();
  if (flow != nullptr) named += pair_width(ui_, "flow", flow_older, flow_unit);
  // Below the picture's left edge, or as far left of it as all that takes.
  float whole = state_badge_width(ui_, state.run, BadgeSize::large) + ui_.px(18 + 26) + named;
  whole += ui_.width(Type::large_strong, state.source.name) + (state.recording.on ? ui_.px(26) : 0);
  x = std::max(ui_.px(24), std::min(x, limit - whole));
  x = draw_state_badge(ui_, state.run, x, line.cy(), BadgeSize::large) + ui_.px(18);
  if (state.recording.on) {
    ui_.disc(x + ui_.px(6), line.cy(), 6, theme::kRed);
    x += ui_.px(26);
  }
  x = ui_.text_fitted(Type::large_strong, x, std::max(x + ui_.px(60), limit - named), line.y0, line.height(),
                      theme::kText, state.source.name) +
      ui_.px(26);
  if (picture) x = pair(ui_, x, line, "frame", frame, "");
  if (timed) x = pair(ui_, x, line, "", time, "s");
  if (flow != nullptr) x = pair(ui_, x, line, "flow", flow_older, flow_unit);
  const auto fits = [&](float least) { return x + ui_.px(least) < limit + ui_.px(60); };
  if (fits(80)) x = pair(ui_, x, line, "", fixed(state.params.dynamic_range_db, 0), "dB");
  if (fits(90)) pair(ui_, x, line, "", fixed(state.processed_fps, state.processed_fps < 100 ? 1 : 0), "fps");

  const double age = ImGui::GetTime() - presentation_since_;
  if (age < 3.0) {
    const double share = std::clamp((3.0 - age) / 0.5, 0.0, 1.0);
    const auto alpha = static_cast<unsigned int>(255.0 * share);
    ui_.text_right(Type::body, size.x - ui_.px(20), line.y0, line.height(), theme::rgb(0x8B959E, alpha),
                   "Tab: back to the controls");
  } else if (pace > 0) {
    draw_pace(ui_, size.x - ui_.px(24) - pace, line, state.pace, Type::large, PaceWords::all);
  }
}

}  // namespace echoloop
