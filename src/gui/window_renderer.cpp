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

void clear(const Rect& area, unsigned int hex, const RenderTarget& to) {
  const auto px = [&](float v) { return static_cast<int>(std::lround(v * to.ratio)); };
  glScissor(px(area.x0), to.height - px(area.y1), px(area.x1) - px(area.x0), px(area.y1) - px(area.y0));
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

void WindowRenderer::paint(const RenderTarget& to, PaintJob job) {
  job.where = to.pixels(job.where);
  job.clip = to.pixels(job.clip);
  painter_.draw(job, to.width, to.height);
}

void WindowRenderer::draw_pictures(const WindowFrame& frame, const RenderTarget& to) {
  const ImageLayout& layout = frame.screen.image_layout();
  const Rect& r = layout.image;
  if (frame.shown.number == 0 || r.width() <= 0) return;
  const bool beside = frame.screen.side_a_layout().image.width() > 0;
  const bool has_a = frame.compared != nullptr && frame.compared->number != 0;
  if (beside && has_a) draw_side_a(frame, frame.screen.side_a_layout(), frame.screen.side_a_layout().image, to);
  const bool wiped = !beside && has_a;
  const float line = wiped ? frame.screen.wipe_x() : r.x0;
  const Rect whole = layout.place(frame.shown.grid);
  if (beside && !whole.overlaps(r)) return;
  paint(to, {.texture = frame.texture,
             .grid = frame.shown.grid,
             .display = shown_display(frame.shown.params.formation, frame.display.display),
             .where = whole,
             .clip = beside ? whole.common(r) : Rect{line, r.y0, r.x1, r.y1},
             .matched = &frame.matched});
  if (!wiped) return;
  const Rect left{r.x0, r.y0, line, r.y1};
  glEnable(GL_SCISSOR_TEST);
  // Where A has no pixels: what is there of a sector is the window's ground.
  const bool sector = frame.compared->grid.polar() && !frame.screen.presenting();
  clear(left, sector ? theme::kCanvasHex : 0x000000, to);
  glDisable(GL_SCISSOR_TEST);
  draw_side_a(frame, layout, left, to);
}

void WindowRenderer::draw_side_a(const WindowFrame& frame, const ImageLayout& layout, const Rect& seen,
                                 const RenderTarget& to) {
  const Rect where = layout.place(frame.compared->grid);
  if (!where.overlaps(seen)) return;
  paint(to, {.texture = frame.compared_texture,
             .grid = frame.compared->grid,
             .display = shown_display(frame.compared->params.formation, frame.display.display),
             .where = where,
             .clip = where.common(seen)});
}

// The low-rank picture takes the place of the other one; power and velocity lie over it.
void WindowRenderer::draw_flow(const WindowFrame& frame, const RenderTarget& to) {
  const FlowImage* flow = frame.flow.shown();
  const ImageLayout& layout = frame.screen.image_layout();
  if (flow == nullptr || frame.shown.number == 0 || layout.image.width() <= 0) return;
  Rect seen = layout.image;
  const bool beside = frame.screen.side_a_layout().image.width() > 0;
  if (!beside && frame.compared != nullptr && frame.compared->number != 0) seen.x0 = frame.screen.wipe_x();  // B's
  if (flow->params.color_flow.mode == FlowMode::low_rank) {
    const Rect where = layout.place(flow->grid);
    if (!where.overlaps(seen)) return;
    paint(to, {.texture = frame.flow.texture(),
               .grid = flow->grid,
               .display = frame.display.display,
               .where = where,
               .clip = where.common(seen)});
    return;
  }
  flow_painter_.draw({.flow_texture = frame.flow.texture(),
                      .flow_grid = flow->grid,
                      .picture_texture = frame.texture,
                      .picture_grid = frame.shown.grid,
                      .params = frame.display,
                      .where = to.pixels(layout.place(frame.shown.grid)),
                      .clip = to.pixels(seen)},
                     to.width, to.height);
}

void WindowRenderer::draw_strips(const WindowFrame& frame, const RenderTarget& to) {
  const StripBoxes& strips = frame.screen.strips();
  const TransientView& view = frame.screen.settings().transient;
  const auto draw = [&](unsigned int texture, const Grid& grid, const DisplayParams& display, const auto& pieces) {
    for (const StripPiece& piece : pieces) {
      paint(to, {.texture = texture, .grid = grid, .display = display, .where = piece.where, .clip = piece.clip});
    }
  };
  if (strips.m_mode.width() > 0) {
    draw(frame.strip.texture(), frame.strip.grid(), shown_display(frame.shown.params.formation, frame.display.display),
         frame.strip.pieces(strips.m_mode, view.m_mode_span_s));
  }
  const Spectrogram* shown = frame.spectrogram.shown();
  if (shown != nullptr && strips.spectrogram.width() > 0) {
    draw(frame.spectrogram.texture(), frame.spectrogram.grid(), spectrogram_display(*shown, frame.display).display,
         frame.spectrogram.pieces(strips.spectrogram, view.doppler.span_s, frame.display.doppler.baseline));
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
  const RenderTarget to{static_cast<float>(width) / std::max(data.DisplaySize.x, 1.0F), width, height};
  glEnable(GL_SCISSOR_TEST);
  if (all) {
    clear({0, 0, data.DisplaySize.x, data.DisplaySize.y}, theme::kCanvasHex, to);
    for (const Ground& ground : frame.screen.grounds()) clear(ground.area, ground.hex, to);
  } else {
    const Rect& live = frame.screen.live_area();
    clear(live, theme::kCanvasHex, to);
    for (const Ground& ground : frame.screen.grounds()) {
      if (ground.area.overlaps(live)) clear(ground.area.common(live), ground.hex, to);
    }
  }
  glDisable(GL_SCISSOR_TEST);
  draw_pictures(frame, to);
  draw_flow(frame, to);
  draw_strips(frame, to);
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
