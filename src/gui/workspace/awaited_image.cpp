// Page of an image that is awaited, over the last one of the previous source, and the progress of slow work.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/adaptive.h"
#include "gui/workspace/image_area.h"

namespace echoloop {
namespace {

constexpr float kTrack = 3;
constexpr unsigned int kVeil = 0x73;  // opacity of the canvas over an image that is not current: 55 % of it remain

void draw_track(const Ui& ui, const ImageLayout& layout, double share) {
  const Rect& r = layout.image;
  const Rect track{r.x0, r.y1 + ui.px(3), r.x1, r.y1 + ui.px(3 + kTrack)};
  ui.fill(track, theme::kLine, 1.5F);
  ui.fill({track.x0, track.y0, track.x0 + track.width() * static_cast<float>(share), track.y1}, theme::kAccent, 1.5F);
}

}  // namespace

float draw_return(PanelContext& c, const ImageLayout& layout, float x, float y) {
  Ui& ui = c.ui;
  std::string label = "Cancel, stay on " + c.model.opening.former;
  const auto width = [&] { return ui.width(Type::body, label) + ui.width(Type::small, "Esc") + ui.px(36); };
  if (width() > layout.room.x1 - x) label = "Stay on " + c.model.opening.former;
  if (width() > layout.room.x1 - x) label = "Cancel opening";
  const float right = std::min(layout.room.x1, std::max(layout.image.x1, x + width()));
  const Rect button{right - width(), y, right, y + ui.px(26)};
  const bool clicked = ui.button("return", button, {.label = label, .shortcut = "Esc"},
                                 {"Cancel", "Shows the source before again, as it was.", {}});
  const bool escape = ui.escape() && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (escape) ui.use_escape();
  if (clicked || escape) c.commands.send(command::Cancel{});
  return button.x0;
}

std::optional<WorkProgress> long_work(std::int64_t since_ns, double remaining_s, std::int64_t now_ns) {
  if (since_ns == 0 || now_ns - since_ns < kWorkSeen_ns) return std::nullopt;
  const double passed_s = static_cast<double>(now_ns - since_ns) * 1e-9;
  if (remaining_s <= 0.0) return WorkProgress{.text = fmt::format("{:.0f} s", passed_s)};
  return WorkProgress{.text = fmt::format("{:.0f} of about {:.0f} s", passed_s, passed_s + remaining_s),
                      .share = passed_s / (passed_s + remaining_s)};
}

float draw_long_work(const Ui& ui, const ImageLayout& layout, float right, const WorkProgress& work) {
  draw_track(ui, layout, work.share);
  const std::string text = "Computing: " + work.text;
  ui.text_right(Type::small, right, layout.caption_y + ui.px(8), ui.px(20), theme::kText, text);
  return right - ui.width(Type::small, text) - ui.px(16);
}

std::string first_image_text(const Model& model, const Edits& edits, const WorkProgress& work) {
  const Adaptive method = edits.params.formation.adaptive;
  std::string text = "Computing the first image of " + model.source.name;
  if (method != Adaptive::off) text += ", " + std::string(kAdaptiveMethods[static_cast<std::size_t>(method)].label);
  return text + ": " + work.text;
}

void draw_awaited_image(PanelContext& c, const ImageLayout& layout, const AwaitedImage& awaited) {
  const Ui& ui = c.ui;
  const Rect& r = layout.image;
  ui.fill(r, theme::rgb(theme::kCanvasHex, kVeil), 0);
  const auto work = long_work(awaited.since_ns, c.model.image.work.remaining_s, now_ns());
  if (!work) return;
  draw_track(ui, layout, work->share);
  const float line = ui.px(20), title_y = r.y0 - ui.px(30);
  const std::string title = "Opening " + c.model.source.name;
  const float x = r.x0 + ui.width(Type::strong, title) + ui.px(12);
  const float end = c.model.opening.former.empty() ? layout.room.x1 : draw_return(c, layout, x, title_y - ui.px(3));
  ui.text_fitted(Type::strong, r.x0, end - ui.px(8), title_y, line, theme::kText, title);
  const auto& f = c.edits.params.formation;
  const std::string points = fmt::format("{} × {} points", f.grid_nx, f.grid_nz);
  if (f.grid_nx > 0 && f.grid_nz > 0 && x + ui.width(Type::small, points) < end - ui.px(8)) {
    ui.text(Type::small, x, title_y, line, theme::kMuted, points);
  }
  const std::string before = "Not current: last image of " + awaited.shown_of + ".";
  const std::string first = first_image_text(c.model, c.edits, *work);
  const float y = layout.caption_y + ui.px(8), gap = ui.px(16);
  const float both = ui.width(Type::small, before) + gap + ui.width(Type::small, first);
  const bool beside = r.x0 + both <= layout.room.x1;
  if (beside) {
    const float end = ui.text(Type::small, r.x0, y, line, theme::kText2, before);
    ui.text(Type::small, end + gap, y, line, theme::kText, first);
    return;
  }
  ui.text_fitted(Type::small, r.x0, layout.room.x1, y, line, theme::kText, first);
  const float w = ui.width(Type::small, before);
  const Rect chip{r.x0, r.y1 - line - ui.px(4), r.x0 + w + ui.px(16), r.y1 - ui.px(4)};
  ui.fill(chip, theme::kChip, 4);
  ui.text(Type::small, chip.x0 + ui.px(8), chip.y0, line, theme::kText2, before);
}

}  // namespace echoloop
