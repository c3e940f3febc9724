#include "gui/view/image_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/results/image.h"
#include "core/units.h"
#include "gui/overlay/caption.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/theme.h"
#include "gui/view/analysis_layers.h"
#include "gui/view/map_layer.h"

namespace echoloop {
namespace {

float tick_length(int index, int minor_per_major, const Ui& ui) {
  if (index % minor_per_major == 0) return ui.px(8);
  return 2 * (index % minor_per_major) == minor_per_major ? ui.px(5) : ui.px(4);
}

void caption_item(const Ui& ui, float& x, float y, float right, bool& room, std::string_view key,
                  std::string_view value, std::string_view unit) {
  if (!room) return;
  const float gap = ui.px(4);
  float wanted = ui.width(Type::small, value);
  if (!key.empty()) wanted += ui.width(Type::small, key) + gap;
  if (!unit.empty()) wanted += ui.width(Type::small, unit) + gap;
  if (x + wanted > right) {
    room = false;
    return;
  }
  const float h = ui.px(20);
  if (!key.empty()) x = ui.text(Type::small, x, y, h, theme::kMuted, key) + gap;
  x = ui.text(Type::small, x, y, h, theme::kText, value);
  if (!unit.empty()) x = ui.text(Type::small, x + gap, y, h, theme::kMuted, unit);
  x += ui.px(16);
}

// Returns the analyses of the image under the pointer; null left of a wipe line.
const AnalysisViews* analyses_under(const ImageViewContext& c, float mouse_x) {
  return c.compared != nullptr && mouse_x < c.wipe_x ? nullptr : c.analyses;
}

const Image& image_under(const ImageViewContext& c, float mouse_x) {
  return c.compared != nullptr && mouse_x < c.wipe_x ? *c.compared : c.image;
}

// Returns the level under the pointer, of the image that is on screen there.
double level_at(const ImageViewContext& c, double x_m, double z_m, float mouse_x) {
  const Image& image = image_under(c, mouse_x);
  const GridPlace place = image.grid.place(x_m, z_m);
  const auto nearest = [](double at) { return static_cast<int>(std::lround(at)); };
  const AnalysisViews* const analyses = analyses_under(c, mouse_x);
  const FlowImage* const flow = analyses != nullptr ? analyses->of<FlowView>().image.get() : nullptr;
  if (flow != nullptr && flow->params.color_flow.mode == FlowMode::low_rank) return low_rank_at(*flow, {x_m, z_m});
  if (!image.grid.contains(place, 0.499)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(c.level_db(image, nearest(place.column), nearest(place.row)));
}

// Returns the position in the recording of this point's echo.
std::string echo_text(const ImageViewContext& c, PlanePoint at) {
  const std::optional<EchoPlace> echo = c.echo_at ? c.echo_at(at) : std::nullopt;
  if (!echo) return {};
  const bool several = c.image.acquisition != nullptr && c.image.acquisition->n_transmits() > 1;
  std::string text =
      fmt::format("sample {}  element {}", grouped(static_cast<std::uint64_t>(echo->sample)), echo->element);
  if (several) text += fmt::format("  transmit {}", echo->transmit);
  return text;
}

constexpr std::string_view kBetweenParts = "   ";

// Draws whole parts at the right end of the caption line, as many as fit with the first items of the caption. Returns
// the left end.
float draw_read_out(const ImageViewContext& c, const std::vector<std::string>& parts, float right) {
  constexpr float kFirstItems = 140;  // frame and time
  const Ui& ui = c.ui;
  const float room = right - c.layout.image.x0 - ui.px(kFirstItems);
  std::string text;
  for (const std::string& part : parts) {
    const std::string longer = text.empty() ? part : text + std::string(kBetweenParts) + part;
    if (!text.empty() && ui.width(Type::small, longer) > room) break;
    text = longer;
  }
  ui.text_right(Type::small, right, c.layout.caption_y + ui.px(8), ui.px(20), theme::kText, text);
  return right - ui.width(Type::small, text) - ui.px(20);
}

}  // namespace

std::string polar_text(const Image& image, const Sector& sector, double x_m, double z_m) {
  const double down_m = z_m - sector.apex_z_m;
  const double skin_m = surface_radius_m(image);
  const double r_mm = (std::hypot(x_m, down_m) - skin_m) / kMetresPerMillimetre;
  return fmt::format("{} {} mm  {}°", skin_m > 0.0 ? "depth" : "r", fixed(r_mm, 1),
                     fixed(std::atan2(x_m, down_m) / kRadiansPerDegree, 1));
}

void ImagePicture::update(const std::shared_ptr<const Image>& of, int width, int height) {
  if (image_ == of && width_ == width && height_ == height) return;
  RgbImage rgb{
      .width = width,
      .height = height,
      .rgb = std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
  ImageSampler(of->params).draw(rgb, {0, 0, width, height}, *of, {});
  texture_.update(rgb);
  image_ = of;
  width_ = width;
  height_ = height;
}

void ImagePicture::draw(const Ui& ui, const Rect& r, ImU32 tint) const {
  ui.list().AddImage(compat::texture_id(texture_.id()), {r.x0, r.y0}, {r.x1, r.y1}, {0, 0}, {1, 1}, tint);
}

void draw_rulers(const ImageViewContext& c) {
  const Ui& ui = c.ui;
  const ImageLayout& l = c.layout;
  const Rect& r = l.image;
  const double s = ui.scale();
  const bool view = c.mode == WindowMode::view, sector = l.grid.polar();
  const double unit_m = (view ? 10.0 : 1.0) * kMetresPerMillimetre;
  // An axis counts millimetres: positions in the unit are passed as millimetres.
  const double to_axis = kMetresPerMillimetre / unit_m;
  if (sector && !view) draw_sector_scale(c);
  if (!sector) ui.outline({r.x0 - 1, r.y0 - 1, r.x1 + 1, r.y1 + 1}, theme::kLine2);
  const auto [low_m, high_m] = std::minmax({l.x_m(r.x0), l.x_m(r.x1)});
  const RulerAxis x = ruler_axis(low_m * to_axis, high_m * to_axis, static_cast<double>(r.width()), 64 * s, s);
  const float line = ui.px(16);
  const auto across = [&](double at_units, int index) {
    const float at = std::round(l.x_px(at_units * unit_m));
    const float length = tick_length(index, x.step.minor_per_major, ui);
    ui.vertical(at, r.y0 - ui.px(2) - length, r.y0 - ui.px(2), index == 0 ? theme::kText2 : theme::kTick);
    if (index != 0) return;
    const std::string label = fixed(at_units, x.step.decimals);
    ui.text(Type::small, at - 0.5F * ui.width(Type::small, label), r.y0 - ui.px(26), line, theme::kText2, label);
  };
  if (!sector || !view) x.each(across);
  const RulerAxis z =
      ruler_axis(l.z_m(r.y0) * to_axis, l.z_m(r.y1) * to_axis, static_cast<double>(r.height()), 52 * s, s);
  z.each([&](double at_units, int index) {
    const float at = std::round(l.z_px(at_units * unit_m));
    const float length = tick_length(index, z.step.minor_per_major, ui);
    ui.horizontal(r.x0 - ui.px(2) - length, r.x0 - ui.px(2), at, index == 0 ? theme::kText2 : theme::kTick);
    if (index == 0)
      ui.text_right(Type::small, r.x0 - ui.px(14), at - 0.5F * line, line, theme::kText2,
                    fixed(at_units, z.step.decimals));
  });
  // Drawn in the corner, clear of a label at the image's left edge.
  const double least = std::ceil(x.low_mm / x.step.major_mm - 1e-6),
               most = std::floor(x.high_mm / x.step.major_mm + 1e-6);
  const float first = static_cast<float>((l.way() > 0.0 ? least : most) * x.step.major_mm);
  const float first_x = sector && view ? r.x0 : l.x_px(first * unit_m) - ui.px(14);
  ui.text_right(Type::small, std::min(r.x0 - ui.px(14), first_x), r.y0 - ui.px(26), line, theme::kMuted,
                view ? "cm" : "x, z mm");
}

bool draw_orientation(const ImageViewContext& c) {
  if (c.image.acquisition == nullptr || c.image.acquisition->probe.elements.size() < 2) return false;
  constexpr float kRadius = 9, kInset = 14, kLeastImage = 100;
  Ui& ui = c.ui;
  if (std::min(c.layout.image.width(), c.layout.image.height()) < ui.px(kLeastImage)) return false;
  const std::vector<Element>& elements = c.image.acquisition->probe.elements;
  const double way = (elements.front().x_m <= elements.back().x_m ? 1.0 : -1.0) * c.layout.way();
  const bool left = way > 0.0;
  const Rect& r = c.layout.image;
  float edge = left ? r.x0 + ui.px(kInset) : r.x1 - ui.px(kInset);
  if (c.layout.grid.polar()) {
    const Sector& s = c.layout.grid.sector;
    const float top = c.layout.x_px(s.r0_m * std::sin(left == (c.layout.way() > 0.0) ? s.angle0_rad : s.angle1_rad)) +
                      ui.px(left ? -2 * kInset : 2 * kInset);
    edge = left ? std::max(edge, top) : std::min(edge, top);
  }
  const float y = r.y0 + ui.px(kInset);
  ui.disc(edge, y, kRadius + 1, theme::kHalo);
  ui.ring(edge, y, kRadius, theme::kAccent, 1.5F);
  const Rect box{edge - ui.px(kRadius), y - ui.px(kRadius), edge + ui.px(kRadius), y + ui.px(kRadius)};
  ui.text_centred(Type::badge, box, theme::kAccent, "E");
  const Hit hit = ui.control("orientation", box, FocusKind::button, "Mirror");
  ui.tip("orientation", hit, box,
         {"Orientation", "The probe's element 1 is on this side. Click to mirror the image.", {}});
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return hit.clicked;
}

void draw_caption(const ImageViewContext& c, float right) {
  const Ui& ui = c.ui;
  float x = c.layout.image.x0;
  const float y = c.layout.caption_y + ui.px(8);
  bool room = true;
  const auto item = [&](std::string_view key, const std::string& value, std::string_view unit) {
    caption_item(ui, x, y, right, room, key, value, unit);
  };
  if (!c.no_sender.empty()) item("", c.no_sender, "");
  if (!c.side.empty()) item("", std::string(c.side), "");
  if (c.matched) item("", kLevelsMatched, "");
  if (c.layout.mirrored == Mirrored::on) item("", kMirrored, "");
  std::vector<CaptionItem> items;
  for (const AnalysisLayer* const layer : analysis_layers()) {
    if (c.analyses != nullptr && layer->add_caption != nullptr) layer->add_caption(*c.analyses, items);
  }
  for (const CaptionItem& i : items) item(i.key, i.value, i.unit);
  items = caption_items(c.image, c.numbers, c.faults);
  for (const CaptionItem& i : items) item(i.key, i.value, i.unit);
}

float draw_pointer(const ImageViewContext& c, PlanePoint at, float right) {
  Ui& ui = c.ui;
  const ImageLayout& l = c.layout;
  const ImVec2 mouse{l.x_px(at.x_m), l.z_px(at.z_m)};
  const Image& under = image_under(c, mouse.x);
  const float tip = ui.px(2);
  ui.triangle(mouse.x, l.image.y0 - tip, Direction::down, theme::kAccent, 7);
  ui.triangle(l.image.x0 - tip, mouse.y, Direction::right, theme::kAccent, 7);
  const auto [x_m, z_m] = at;
  const double level = level_at(c, x_m, z_m, mouse.x);
  std::vector<std::string> parts = {
      fmt::format("x {}  z {} mm", fixed(x_m / kMetresPerMillimetre, 1), fixed(z_m / kMetresPerMillimetre, 1))};
  if (l.grid.polar()) parts.push_back(polar_text(under, l.grid.sector, x_m, z_m));
  if (!std::isnan(level)) {
    parts.push_back(shows_weight(under.params.formation) ? fmt::format("weight {}", fixed(level, 3))
                    : level <= kNoEcho_db                ? "no echo"
                                                         : fmt::format("{} dB", fixed(level, 1)));
  }
  const AnalysisViews* const analyses = analyses_under(c, mouse.x);
  for (const AnalysisLayer* const layer : analysis_layers()) {
    if (analyses == nullptr || layer->read_out == nullptr) continue;
    std::string text =
        layer->read_out(*analyses, {.at = at, .level_db = level, .display = c.display, .picked = c.picked});
    if (!text.empty()) parts.push_back(std::move(text));
  }
  if (const LabelMask* const mask = shown_mask(under, c.display.display))
    if (const std::size_t label = mask->at(at); label > 0) parts.push_back(mask->names[label - 1]);
  if (c.map != nullptr && &under == &c.image) {
    if (std::string text = map_value_text(*c.map, at); !text.empty()) parts.push_back(std::move(text));
  }
  if (&under == &c.image) {
    if (std::string echo = echo_text(c, at); !echo.empty()) parts.push_back(std::move(echo));
  }
  return draw_read_out(c, parts, right);
}

namespace {

constexpr float kStackedBelow = 700;       // width of the area at scale 1
constexpr float kStackedFromHeight = 320;  // of the area: lower ones have no room for two images above each other

ImageLayout moved(ImageLayout l, float dx, float dy) {
  for (Rect* r : {&l.room, &l.image}) *r = {r->x0 + dx, r->y0 + dy, r->x1 + dx, r->y1 + dy};
  l.caption_y += dy;
  return l;
}

}  // namespace

SideLayouts lay_out_sides(const SidesInput& in) {
  const auto px = [&in](float v) { return std::round(v * in.scale); };
  const bool beside = in.area.width() >= kStackedBelow * in.scale || in.area.height() < kStackedFromHeight * in.scale;
  const float bar = px(in.compact ? theme::kColorBarCompact : theme::kColorBar);
  const float width = in.area.width() - static_cast<float>(count(in.bars)) * bar, height = in.area.height();
  const float dx = beside ? std::floor(0.5F * width) : 0, dy = beside ? 0 : std::floor(0.5F * height);
  const Rect first{in.area.x0, in.area.y0 + in.labels, in.area.x0 + (beside ? dx : width),
                   in.area.y0 + (beside ? height : dy)};
  const Grid common = common_extent(in.a, in.b);
  SideLayouts sides;
  if (!in.bars.level) {
    sides.a = place_picture(first.inset(px(8)), common, in.scale, in.view, in.mirrored);
  } else {
    sides.a = lay_out_picture(first, common, in.scale, in.compact, in.view, {.level = false}, in.mirrored);
  }
  sides.b = moved(sides.a, dx, dy);
  if (!in.bars.level) return sides;
  const float x = sides.b.image.x1 + px(in.compact ? 14 : 20);
  place_bars(sides.b, {x, sides.a.image.y0, x + px(14), sides.b.image.y1}, bar, in.bars);
  return sides;
}

Grid common_extent(const Grid& a, const Grid& b) {
  if (a == b) return b;
  if (a.polar() && b.polar() && a.sector.apex_z_m == b.sector.apex_z_m) {
    const Sector& s = a.sector;
    const Sector& t = b.sector;
    return polar_grid({.apex_z_m = t.apex_z_m,
                       .angle0_rad = std::min(s.angle0_rad, t.angle0_rad),
                       .angle1_rad = std::max(s.angle1_rad, t.angle1_rad),
                       .r0_m = std::min(s.r0_m, t.r0_m),
                       .r1_m = std::max(s.r1_m, t.r1_m)},
                      b.nx, b.nz);
  }
  return {.x0_m = std::min(a.x0_m, b.x0_m),
          .x1_m = std::max(a.x1_m, b.x1_m),
          .z0_m = std::min(a.z0_m, b.z0_m),
          .z1_m = std::max(a.z1_m, b.z1_m),
          .nx = b.nx,
          .nz = b.nz};
}

bool depths_overlap(const Grid& a, const Grid& b) { return a.z0_m < b.z1_m && b.z0_m < a.z1_m; }

bool same_probe(const Acquisition& a, const Acquisition& b) {
  constexpr double kSame_m = 1e-6;
  const auto same = [](const Element& e, const Element& f) {
    return std::abs(e.x_m - f.x_m) < kSame_m && std::abs(e.z_m - f.z_m) < kSame_m;
  };
  return std::ranges::equal(a.probe.elements, b.probe.elements, same);
}

}  // namespace echoloop
