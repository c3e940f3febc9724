#include "gui/presentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/bars.h"
#include "gui/docks/docks.h"
#include "gui/overlay/caption.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/number_text.h"
#include "gui/view/analysis_layers.h"
#include "gui/workspace/image_area.h"

namespace echoloop {
namespace {

constexpr float kTop = 20, kCaptionHeight = 64, kBarRoom = 92;
constexpr float kStripShare = 0.35F;  // share of the width
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

void Presentation::begin() {
  on_ = true;
  since_s_ = ImGui::GetTime();
  touch_.touch(now_ns());
}

bool Presentation::moving() const {
  constexpr double kMargin_s = 0.2;
  return on_ && (ImGui::GetTime() - since_s_ < kHint_s + kMargin_s || touch_.ending(now_ns()));
}

Presentation::Places Presentation::lay_out(const PanelContext& c, const SceneInput& input) {
  Ui& ui = c.ui;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  Places p;
  float bottom = size.y;
  const float up = touch_up_.towards(touch_.shown(now_ns()) ? 1.0F : 0.0F, ui.step_s());
  if (touch_up_.moving()) ui.request_frame();
  if (up > 0) {
    const float height = ui.px(TouchStrip::kHeight);
    bottom -= std::round(up * height);
    p.touch = {0, bottom, size.x, bottom + height};
  }
  p.caption = {0, bottom - ui.px(kCaptionHeight), size.x, bottom};
  p.image = {ui.px(20), ui.px(kTop), size.x - ui.px(20), p.caption.y0};
  if (c.view.has_m_mode() || c.edits.params.doppler.gate != Gate::off) {
    const float wide = std::round(kStripShare * size.x);
    p.strips = {size.x - ui.px(20) - wide, p.image.y0 - ui.px(6), size.x - ui.px(20), p.caption.y0};
    p.image.x1 = p.strips.x0 - ui.px(8);
  }
  p.image.x1 -= ui.px(kBarRoom) * static_cast<float>(count({.a = scales_differ(input.compared, input.image, c.edits),
                                                            .flow = is_overlay(c.edits.params.color_flow.mode)}));
  return p;
}

// Draws the bars next to the image: levels, and flow if it overlays the image.
void Presentation::draw_bars(PanelContext& c, const SceneInput& input, ImageArea& image) {
  Ui& ui = c.ui;
  const Rect r = image.layout().image;
  const float room = ui.px(kBarRoom), top = r.y0 + ui.px(32), least = top + ui.px(120);
  const auto bar = [&](int index) {
    const float x = r.x1 + ui.px(18) + static_cast<float>(index) * room;
    return Rect{x, top, x + ui.px(18), std::max(least, r.y1 - ui.px(10))};
  };
  const bool each = scales_differ(input.compared, input.image, c.edits);
  draw_presented_color_bar(ui, bar(0), c.edits.params, each ? "B" : "");
  if (each) {
    ImagingParams a = input.compared->params;
    a.display = c.edits.cine.a.display;
    draw_presented_color_bar(ui, bar(1), a, "A");
  }
  if (c.model.analyses.of<FlowView>().image == nullptr || !is_overlay(c.edits.params.color_flow.mode)) return;
  image.place_flow_bar(bar(each ? 2 : 1));
  draw_flow_bar(ui, image.layout(), *c.model.analyses.of<FlowView>().image, c.edits.params, Type::large);
}

// Draws source, frame, time and rate; omits the least important without room.
void Presentation::draw_caption(PanelContext& c, const Image& image, const Rect& line) const {
  Ui& ui = c.ui;
  const bool picture = image.number != 0;
  const bool hint = ImGui::GetTime() - since_s_ < kHint_s;
  // Right end: first the hint on how to leave, later the slowdown of the stream.
  const float pace = pace_width(ui, c.model.numbers.pace, Type::large, PaceWords::all);
  const float limit = line.x1 - (hint ? ui.px(240) : ui.px(24) + (pace > 0 ? pace + ui.px(26) : 0));
  // Frame and time are always shown: the source's name is shortened for them.
  const std::optional<CaptionItem> time = picture ? time_item(image) : std::nullopt;
  const std::string frame = picture ? numbers_of(c.model.source).text(image.stamp) : "";
  float named = 0;
  if (picture) named += pair_width(ui, "frame", frame, "");
  if (time) named += pair_width(ui, time->key, time->value, time->unit);
  const FlowImage* flow = c.model.analyses.of<FlowView>().image.get();
  const auto [flow_older, flow_unit] =
      flow != nullptr ? flow_age(*flow, c.model.analyses.of<FlowView>().age_s) : std::pair<std::string, std::string>();
  if (flow != nullptr) named += pair_width(ui, "flow", flow_older, flow_unit);
  // Playback of history frames is a replay.
  const bool replays = c.model.run == RunState::frozen && c.edits.cine.playing;
  const RunState run = replays ? RunState::replay : badge_state(c.model);
  float x = line.x0 + ui.px(24);
  x = draw_state_badge(ui, run, x, line.cy(), BadgeSize::large) + ui.px(18);
  if (c.model.saving.recording.on) {
    ui.disc(x + ui.px(6), line.cy(), 6, theme::kRed);
    x += ui.px(26);
  }
  x = ui.text_fitted(Type::large_strong, x, std::max(x + ui.px(60), limit - named), line.y0, line.height(),
                     theme::kText, c.model.source.name) +
      ui.px(26);
  if (picture) x = pair(ui, x, line, "frame", frame, "");
  if (time) x = pair(ui, x, line, time->key, time->value, time->unit);
  if (flow != nullptr) x = pair(ui, x, line, "flow", flow_older, flow_unit);
  const auto fits = [&](float least) { return x + ui.px(least) < limit; };
  if (replays && fits(90)) x = pair(ui, x, line, "", factor_text(c.edits.cine.speed), "×");
  if (fits(80)) x = pair(ui, x, line, "", fixed(c.edits.params.display.dynamic_range_db, 0), "dB");
  if (fits(90))
    pair(ui, x, line, "", fixed(c.model.numbers.processed_fps, c.model.numbers.processed_fps < 100 ? 1 : 0), "fps");
  if (!hint && pace > 0)
    draw_pace(ui, line.x1 - ui.px(24) - pace, line, c.model.numbers.pace, Type::large, PaceWords::all);
}

StripBoxes Presentation::draw(PanelContext& c, const SceneInput& input, const Parts& parts) {
  Ui& ui = c.ui;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 size = io.DisplaySize;
  const bool input_came = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
                          ImGui::IsAnyMouseDown() || !input.keys.empty();
  if (input_came) touch_.touch(now_ns());
  touch_.follow(c.model, c.edits, c.commands);
  const Places p = lay_out(c, input);
  parts.grounds.push_back({{0, 0, size.x, size.y}, 0x000000});
  if (input.image.number != 0) {
    parts.image.draw_presented(c, input, p.image);
    draw_bars(c, input, parts.image);
  } else if (const auto& awaited = c.model.image.awaited) {
    const auto work = long_work(awaited->since_ns, c.model.image.work.remaining_s, now_ns());
    if (work) ui.text_centred(Type::large, p.image, theme::kText2, first_image_text(c.model, c.edits, *work));
  } else if (c.model.image.coarse) {
    parts.image.draw_coarse(c, input, p.image);
  }
  StripBoxes strips;
  parts.dock.draw_presented({c, input.image, input.strip, strips}, p.strips);
  draw_caption(c, input.image, p.caption);
  if (p.touch.height() > 0) {
    parts.grounds.push_back({p.touch, theme::kPanelHex});
    touch_.draw(c, p.touch);
  }
  const double age_s = ImGui::GetTime() - since_s_;
  if (age_s >= kHint_s) return strips;
  const double share = std::clamp((kHint_s - age_s) / 0.5, 0.0, 1.0);
  const auto alpha = static_cast<unsigned int>(255.0 * share);
  ui.text_right(Type::body, size.x - ui.px(20), p.caption.y0, p.caption.height(), theme::rgb(0x8F99A2, alpha),
                "F5: show controls");
  return strips;
}

}  // namespace echoloop
