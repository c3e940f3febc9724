#include "gui/window_renderer.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "gui/state/shown_display.h"
#include "gui/window_look.h"

namespace echoloop {
namespace {

bool is_software() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer = name != nullptr ? name : "";
  return renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
}

void draw_clipped(ImDrawData& data, const Rect& r) {
  std::vector<ImVec4> clips;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) {
      ImVec4& clip = command.ClipRect;
      clips.push_back(clip);
      clip = {std::max(clip.x, r.x0), std::max(clip.y, r.y0), std::min(clip.z, r.x1), std::min(clip.w, r.y1)};
    }
  }
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  auto clip = clips.begin();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) command.ClipRect = *clip++;
  }
}

void clear(const Rect& area, unsigned int hex, float ratio, int height) {
  const auto px = [ratio](float v) { return static_cast<int>(std::lround(v * ratio)); };
  glScissor(px(area.x0), height - px(area.y1), px(area.x1) - px(area.x0), px(area.y1) - px(area.y0));
  const auto part = [hex](int shift) { return static_cast<float>((hex >> shift) & 0xFF) / 255.0F; };
  glClearColor(part(16), part(8), part(0), 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

WindowRenderer::WindowRenderer(const std::filesystem::path& shader_dir)
    : painter_(shader_dir), flow_painter_(shader_dir), software_(is_software()) {}

bool WindowRenderer::must_draw_all(const WindowFrame& frame) {
  constexpr std::int64_t kChromeEvery_ns = 100'000'000;  // numbers that change faster cannot be read
  const std::int64_t now = now_ns();
  const Rect live = frame.screen.live_area();
  const bool moved = !(live == drawn_live_area_);
  drawn_live_area_ = live;
  const bool popup = ImGui::GetDrawData()->CmdListsCount > 1;
  return moved || live.width() < 1 || popup || frame.touched || now - all_drawn_ns_ > kChromeEvery_ns;
}

void WindowRenderer::draw_pictures(const WindowFrame& frame, float ratio, int width, int height) {
  const PictureLayout& layout = frame.screen.picture_layout();
  const Rect& r = layout.image;
  if (frame.shown.number == 0 || r.width() <= 0) return;
  const auto pixels = [ratio](const Rect& rect) {
    return Rect{rect.x0 * ratio, rect.y0 * ratio, rect.x1 * ratio, rect.y1 * ratio};
  };
  const bool beside = frame.screen.side_a_layout().image.width() > 0;
  if (beside) draw_side_a(frame, ratio, width, height);
  const bool wiped = !beside && frame.compared != nullptr && frame.compared->number != 0;
  const float line = wiped ? frame.screen.wipe_x() : r.x0;
  const Rect whole = layout.place(frame.shown.grid);
  if (beside && !whole.overlaps(r)) return;
  painter_.draw({.texture = frame.texture,
                 .grid = frame.shown.grid,
                 .display = shown_display(frame.shown.params.formation, frame.display.display),
                 .where = pixels(whole),
                 .clip = pixels(beside ? whole.common(r) : Rect{line, r.y0, r.x1, r.y1}),
                 .matched = &frame.matched},
                width, height);
  if (!wiped) return;
  const Rect left{r.x0, r.y0, line, r.y1};
  glEnable(GL_SCISSOR_TEST);
  // Where A has no pixels: what is there of a sector is the window's ground.
  const bool sector = frame.compared->grid.polar() && !frame.screen.presenting();
  clear(left, sector ? theme::kCanvasHex : 0x000000, ratio, height);
  const Rect where = layout.place(frame.compared->grid);
  if (!where.overlaps(left)) {
    glDisable(GL_SCISSOR_TEST);
    return;
  }
  painter_.draw({.texture = frame.compared_texture,
                 .grid = frame.compared->grid,
                 .display = shown_display(frame.compared->params.formation, frame.display.display),
                 .where = pixels(where),
                 .clip = pixels(where.common(left))},
                width, height);
}

void WindowRenderer::draw_side_a(const WindowFrame& frame, float ratio, int width, int height) {
  if (frame.compared == nullptr || frame.compared->number == 0) return;
  const PictureLayout& layout = frame.screen.side_a_layout();
  const auto pixels = [ratio](const Rect& r) { return Rect{r.x0 * ratio, r.y0 * ratio, r.x1 * ratio, r.y1 * ratio}; };
  const Rect where = layout.place(frame.compared->grid);
  if (!where.overlaps(layout.image)) return;
  painter_.draw({.texture = frame.compared_texture,
                 .grid = frame.compared->grid,
                 .display = shown_display(frame.compared->params.formation, frame.display.display),
                 .where = pixels(where),
                 .clip = pixels(where.common(layout.image))},
                width, height);
}

// The low-rank picture takes the place of the other one; power and velocity lie over it.
void WindowRenderer::draw_flow(const WindowFrame& frame, float ratio, int width, int height) {
  const FlowImage* flow = frame.flow.shown();
  const PictureLayout& layout = frame.screen.picture_layout();
  if (flow == nullptr || frame.shown.number == 0 || layout.image.width() <= 0) return;
  const auto pixels = [ratio](const Rect& r) { return Rect{r.x0 * ratio, r.y0 * ratio, r.x1 * ratio, r.y1 * ratio}; };
  Rect seen = layout.image;
  const bool beside = frame.screen.side_a_layout().image.width() > 0;
  if (!beside && frame.compared != nullptr && frame.compared->number != 0) seen.x0 = frame.screen.wipe_x();  // B's
  if (flow->params.color_flow.mode == FlowMode::low_rank) {
    const Rect where = layout.place(flow->grid);
    if (!where.overlaps(seen)) return;
    painter_.draw({.texture = frame.flow.texture(),
                   .grid = flow->grid,
                   .display = frame.display.display,
                   .where = pixels(where),
                   .clip = pixels(where.common(seen))},
                  width, height);
    return;
  }
  flow_painter_.draw({.flow_texture = frame.flow.texture(),
                      .flow_grid = flow->grid,
                      .picture_texture = frame.texture,
                      .picture_grid = frame.shown.grid,
                      .params = frame.display,
                      .where = pixels(layout.place(frame.shown.grid)),
                      .clip = pixels(seen)},
                     width, height);
}

void WindowRenderer::draw_strip(const WindowFrame& frame, float ratio, int width, int height) {
  const Rect& box = frame.screen.strips().m_mode;
  if (box.width() <= 0) return;
  const auto pixels = [ratio](const Rect& r) { return Rect{r.x0 * ratio, r.y0 * ratio, r.x1 * ratio, r.y1 * ratio}; };
  const Grid grid = frame.strip.grid();
  for (const StripPiece& piece : frame.strip.pieces(box, frame.screen.settings().transient.m_mode_span_s)) {
    painter_.draw({.texture = frame.strip.texture(),
                   .grid = grid,
                   .display = shown_display(frame.shown.params.formation, frame.display.display),
                   .where = pixels(piece.where),
                   .clip = pixels(piece.clip)},
                  width, height);
  }
}

void WindowRenderer::draw_sonogram(const WindowFrame& frame, float ratio, int width, int height) {
  const Sonogram* shown = frame.sonogram.shown();
  const Rect& box = frame.screen.strips().sonogram;
  if (shown == nullptr || box.width() <= 0) return;
  const auto pixels = [ratio](const Rect& r) { return Rect{r.x0 * ratio, r.y0 * ratio, r.x1 * ratio, r.y1 * ratio}; };
  const Grid grid = frame.sonogram.grid();
  const ImagingParams display = sonogram_display(*shown, frame.display);
  for (const StripPiece& piece :
       frame.sonogram.pieces(box, frame.screen.settings().transient.doppler.span_s, frame.display.doppler.baseline)) {
    painter_.draw({.texture = frame.sonogram.texture(),
                   .grid = grid,
                   .display = display.display,
                   .where = pixels(piece.where),
                   .clip = pixels(piece.clip)},
                  width, height);
  }
}

bool WindowRenderer::is_drawn(const WindowFrame& frame) const {
  return drawn_look_ != 0 && !frame.fresh && drawn_display_ == frame.display && drawn_look_ == window_look(frame);
}

void WindowRenderer::draw(const WindowFrame& frame, Extent extent) {
  const int width = frame.surface.width();
  const int height = frame.surface.height();
  const bool resized = software_ && canvas_.resize(width, height);
  const bool all = !software_ || extent == Extent::all || must_draw_all(frame) || resized;
  if (all) all_drawn_ns_ = now_ns();
  glBindFramebuffer(GL_FRAMEBUFFER, software_ ? canvas_.framebuffer() : frame.surface.framebuffer());
  glViewport(0, 0, width, height);
  ImDrawData& data = *ImGui::GetDrawData();
  const float ratio = static_cast<float>(width) / std::max(data.DisplaySize.x, 1.0F);
  glEnable(GL_SCISSOR_TEST);
  if (all) {
    clear({0, 0, data.DisplaySize.x, data.DisplaySize.y}, theme::kCanvasHex, ratio, height);
    for (const Ground& ground : frame.screen.grounds()) clear(ground.area, ground.hex, ratio, height);
  } else {
    const Rect& live = frame.screen.live_area();
    clear(live, theme::kCanvasHex, ratio, height);
    for (const Ground& ground : frame.screen.grounds()) {
      if (ground.area.overlaps(live)) clear(ground.area.common(live), ground.hex, ratio, height);
    }
  }
  glDisable(GL_SCISSOR_TEST);
  draw_pictures(frame, ratio, width, height);
  draw_flow(frame, ratio, width, height);
  draw_strip(frame, ratio, width, height);
  draw_sonogram(frame, ratio, width, height);
  if (all) {
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  } else {
    draw_clipped(data, frame.screen.live_area());
  }
  // A moving image is followed by others: then its look is not worth its reckoning.
  drawn_look_ = all && !frame.fresh ? window_look(frame) : 0;
  drawn_display_ = frame.display;
  if (!software_) return;
  if (all) {  // Mesa learns a window's new size only when the window itself is drawn to
    glBindFramebuffer(GL_FRAMEBUFFER, frame.surface.framebuffer());
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  canvas_.copy_to(frame.surface.framebuffer());
}

}  // namespace echoloop
