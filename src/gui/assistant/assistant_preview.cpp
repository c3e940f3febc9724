#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/assistant/assistant_parts.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/ruler.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/image_layout.h"

namespace echoloop {
namespace {

constexpr float kPreviewPad = 16, kFrames = 58;

struct ChangeRow {
  const char* name;
  std::string text;
  float right, height;  // of the text; as many lines as it takes
};

constexpr float kChangeLabel = 110, kChangeLine = 20;

std::array<ChangeRow, 3> change_rows(const AssistantScene& c, const Rect& area) {
  const Ui& ui = c.ui;
  const ImportState& import = c.import();
  const std::string& effect = import.preview.effect;
  std::array<ChangeRow, 3> rows = {
      {{"Last change", import.last_change.empty() ? "—" : import.last_change, area.x1 - ui.px(132), 0},
       {"Effect", effect.empty() ? "—" : effect, area.x1 - ui.px(10), 0},
       {"Description",
        (import.target.empty() ? "will be saved in your own folder, as this one cannot be written"
                               : "will be saved as " + import.target) +
            (import.count(ImportGroup::missing) == 0 ? "; the file then opens without questions"
                                                     : "; missing answers are saved as assumptions"),
        area.x1 - ui.px(10), 0}}};
  for (ChangeRow& row : rows) {
    row.height = ui.px(4) + ui.paragraph_height(Type::body, row.right - area.x0 - ui.px(kChangeLabel),
                                                ui.px(kChangeLine), row.text);
  }
  return rows;
}

void draw_change(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const std::array<ChangeRow, 3> rows = change_rows(c, area);
  ui.outline(area, theme::kLine2, theme::kRadius);
  const Rect undo{area.x1 - ui.px(124), area.y0 + ui.px(8), area.x1 - ui.px(10), area.y0 + ui.px(34)};
  float y = area.y0 + ui.px(9);
  for (const ChangeRow& row : rows) {
    const float value = area.x0 + ui.px(kChangeLabel);
    ui.text(Type::small, area.x0 + ui.px(14), y, ui.px(kChangeLine), theme::kMuted, row.name);
    ui.paragraph(Type::body, value, y, row.right - value, ui.px(kChangeLine),
                 row.text == "—" ? theme::kMuted : theme::kText, row.text);
    y += row.height;
  }
  const std::string_view why = c.import().can_undo ? std::string_view() : std::string_view("No answer to undo.");
  if (ui.button("import/undo", undo, {.label = "Undo", .shortcut = "Ctrl+Z"}, {"Undo", "Undoes the last answer.", why}))
    c.order({.act = ImportAct::undo});
}

// The frame of the preview.
void draw_frames(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportPreview& p = c.import().preview;
  ui.fill(area, theme::kPanel);
  ui.horizontal(area.x0, area.x1, area.y0, theme::kLine);
  const Rect track{area.x0 + ui.px(24), area.y0 + ui.px(8), area.x1 - ui.px(24), area.y0 + ui.px(30)};
  const Hit h = ui.control("import/frame", track, FocusKind::slider, "Frame");
  ui.tip("import/frame", h, track, {"Frame", "Frame of the preview.", {}});
  const auto last = static_cast<float>(p.n_frames - 1);
  const float at = track.x0 + track.width() * static_cast<float>(p.frame) / last;
  ui.fill({track.x0, track.cy() - ui.px(2), track.x1, track.cy() + ui.px(2)}, theme::kField, 2);
  ui.disc(at, track.cy(), 7, h.hovered || h.held ? theme::kText : theme::kText2);
  auto wanted = static_cast<std::int64_t>(p.frame);
  if (h.held)
    wanted = std::llround(std::clamp((ImGui::GetIO().MousePos.x - track.x0) / track.width(), 0.0F, 1.0F) * last);
  for (const KeyPress& press : h.keys) {
    if (press.key == Key::right || press.key == Key::up) ++wanted;
    if (press.key == Key::left || press.key == Key::down) --wanted;
  }
  wanted = std::clamp<std::int64_t>(wanted, 0, static_cast<std::int64_t>(p.n_frames) - 1);
  if (wanted != static_cast<std::int64_t>(p.frame) && !p.busy)
    c.order({.act = ImportAct::frame, .index = static_cast<std::size_t>(wanted)});
  ui.text(Type::small, track.x0, track.y1, ui.px(18), theme::kMuted,
          fmt::format("frame {} of {}", p.frame + 1, p.n_frames));
  ui.text_right(Type::small, track.x1, track.y1, ui.px(18), theme::kMuted,
                "step through the frames to see whether their length is right");
}

}  // namespace

void AssistantPreview::draw(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportState& import = c.import();
  const Rect head{area.x0 + ui.px(kPreviewPad), area.y0 + ui.px(6), area.x1 - ui.px(kPreviewPad),
                  area.y0 + ui.px(6 + theme::kHeader)};
  const float x = ui.text(Type::strong, head, theme::kText, "Preview") + ui.px(14);
  constexpr std::array<Choice, 3> kShown = {{{"Image"}, {"Channel data"}, {"Both"}}};
  const bool both = area.width() > ui.px(560);
  const std::size_t n = both ? 3 : 2;
  const float wide = ui.px(both ? 270 : 200);
  const Rect choice{head.x1 - wide, head.y0 + ui.px(2), head.x1, head.y1 - ui.px(2)};
  if (!both && shown_ == Shown::both) shown_ = Shown::image;
  if (const auto picked = ui.segmented("import/shown", choice, std::span(kShown).first(n), static_cast<int>(shown_),
                                       {"Preview", "Image, channel data of one transmit, or both.", {}}))
    shown_ = static_cast<Shown>(*picked);
  ui.text_fitted(Type::small, x, choice.x0 - ui.px(8), head.y0, head.height(), theme::kMuted,
                 import.raw.on ? "check the shape against the image" : "updates with every choice");
  ui.horizontal(area.x0, area.x1, head.y1 + ui.px(4), theme::kLine);
  const float frames = import.preview.n_frames > 1 ? ui.px(kFrames) : 0.0F;
  const Rect bottom{area.x0, area.y1 - frames, area.x1, area.y1};
  Rect change{area.x0 + ui.px(kPreviewPad), 0, area.x1 - ui.px(kPreviewPad), bottom.y0 - ui.px(10)};
  change.y0 = change.y1 - ui.px(14);
  for (const ChangeRow& row : change_rows(c, change)) change.y0 -= row.height;
  const Rect room{area.x0, head.y1 + ui.px(6), area.x1, change.y0 - ui.px(6)};
  if (shown_ == Shown::both) {
    const float middle = std::round(room.x0 + 0.42F * room.width());
    draw_traces(c, {room.x0, room.y0, middle, room.y1});
    draw_image(c, {middle, room.y0, room.x1, room.y1});
  } else if (shown_ == Shown::traces) {
    draw_traces(c, room);
  } else {
    draw_image(c, room);
  }
  draw_change(c, change);
  if (frames > 0) draw_frames(c, bottom);
}

void AssistantPreview::draw_image(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportPreview& p = c.import().preview;
  if (p.image == nullptr) {
    const Rect line{area.x0, area.cy() - ui.px(30), area.x1, area.cy() - ui.px(2)};
    ui.text_centred(Type::large, line, theme::kText2, p.busy ? "Forming the first image" : "No image yet");
    if (!p.error.empty()) {
      const float wrap = std::min(area.width() - ui.px(40), ui.px(520));
      const float wide = std::min(wrap, ui.width(Type::body, p.error));
      ui.paragraph(Type::body, area.cx() - 0.5F * wide, line.y1 + ui.px(6), wrap, ui.px(20), theme::kMuted, p.error);
    }
    return;
  }
  const Image& image = *p.image;
  const ImageLayout l = lay_out_picture(area, image.grid, ui.scale(), true, PanZoom{});
  const Rect& r = l.image;
  const int width = static_cast<int>(r.width()), height = static_cast<int>(r.height());
  if (width < 8 || height < 8) return;
  if (picture_.image != p.image || picture_.width != width || picture_.height != height) {
    RgbImage rgb{
        .width = width,
        .height = height,
        .rgb = std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
    ImageSampler(image.params).draw(rgb, {0, 0, width, height}, image, nullptr);
    std::vector<std::uint32_t> rgba(rgb.rgb.size() / 3);
    for (std::size_t k = 0; k < rgba.size(); ++k)
      rgba[k] = IM_COL32(rgb.rgb[3 * k], rgb.rgb[3 * k + 1], rgb.rgb[3 * k + 2], 255);
    picture_.texture.update(width, height, rgba);
    picture_.image = p.image;
    picture_.width = width;
    picture_.height = height;
  }
  const bool stale = !p.current && !p.busy;
  ui.list().AddImage(compat::texture_id(picture_.texture.id()), {r.x0, r.y0}, {r.x1, r.y1}, {0, 0}, {1, 1},
                     stale ? IM_COL32(255, 255, 255, 153) : IM_COL32_WHITE);
  ui.outline({r.x0 - 1, r.y0 - 1, r.x1 + 1, r.y1 + 1}, theme::kLine);
  // Rulers in millimetres.
  const Grid& g = image.grid;
  const RulerAxis across = ruler_axis(g.x0_m, g.x1_m, r.width(), ui.px(64), ui.scale());
  across.each([&](double mm, int index) {
    const float x = l.x_px(mm * 1e-3);
    ui.vertical(x, r.y0 - ui.px(index == 0 ? 7 : 4), r.y0, theme::kTick);
    if (index == 0)
      ui.text_centred(Type::small, {x - ui.px(30), r.y0 - ui.px(24), x + ui.px(30), r.y0 - ui.px(8)}, theme::kText2,
                      fixed(mm, across.step.decimals));
  });
  ui.text_right(Type::small, r.x0 - ui.px(16), r.y0 - ui.px(25), ui.px(18), theme::kMuted, "mm");
  const RulerAxis down = ruler_axis(g.z0_m, g.z1_m, r.height(), ui.px(44), ui.scale());
  down.each([&](double mm, int index) {
    const float y = l.z_px(mm * 1e-3);
    ui.horizontal(r.x0 - ui.px(index == 0 ? 7 : 4), r.x0, y, theme::kTick);
    if (index == 0)
      ui.text_right(Type::small, r.x0 - ui.px(10), y - ui.px(9), ui.px(18), theme::kText2,
                    fixed(mm, down.step.decimals));
  });
  const float caption_y = r.y1 + ui.px(6);
  float x = r.x0;
  if (stale) {
    x = ui.text(Type::strong, x, caption_y, ui.px(20), theme::kWarn, "not current") + ui.px(12);
    ui.text_fitted(Type::body, x, area.x1 - ui.px(8), caption_y, ui.px(20), theme::kRed, p.error);
    return;
  }
  for (const std::string& item : p.caption) {
    if (x + ui.width(Type::small, item) > area.x1 - ui.px(8)) break;
    x = ui.text(Type::small, x, caption_y, ui.px(20), theme::kText2, item) + ui.px(14);
  }
}

void AssistantPreview::draw_traces(const AssistantScene& c, const Rect& area) {
  Ui& ui = c.ui;
  const ImportTraces& t = c.import().preview.traces;
  if (t.values == nullptr || t.n_elements < 1) {
    ui.text_centred(Type::body, area, theme::kMuted, "No channel data yet");
    return;
  }
  map_.update(t.values, *t.values, t.n_elements, t.n_time);
  const Rect cell{area.x0 + ui.px(kPreviewPad), area.y0 + ui.px(4), area.x1 - ui.px(kPreviewPad), area.y1 - ui.px(4)};
  const std::string title = fmt::format("Channel data, transmit {}", t.transmit + 1);
  const double last_us = 1e6 * t.step_s * t.n_time;
  const Plot plot = draw_plot(ui, cell,
                              {.title = title,
                               .x = {.first = 0.5, .last = t.n_elements + 0.5, .unit = "element"},
                               .y = {.first = 0.0, .last = last_us, .unit = "µs"}});
  map_.draw(ui, plot);
}

}  // namespace echoloop
