#include "gui/window_renderer.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "gui/gl/imgui_compat.h"
#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

// FNV-1a over words of eight bytes, with a shift so that high bits affect the low ones.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001B3U;
    value_ ^= value_ >> 29;
  }
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    std::uint64_t rest = bytes;
    std::memcpy(&rest, at, bytes);
    add(rest);
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const Rect& r) {
    for (const float v : {r.x0, r.y0, r.x1, r.y1}) add(static_cast<double>(v));
  }
  [[nodiscard]] std::uint64_t value() const { return value_ == 0 ? 1 : value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

bool waits_for_textures([[maybe_unused]] const ImDrawData& data) {
#if IMGUI_VERSION_NUM >= 19200
  if (data.Textures == nullptr) return false;
  for (const ImTextureData* texture : *data.Textures) {
    if (texture->Status != ImTextureStatus_OK) return true;
  }
#endif
  return false;
}

void add_panels(Fingerprint& print, const ImDrawData& data) {
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    print.add(list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.size_in_bytes()));
    print.add(list.IdxBuffer.Data, static_cast<std::size_t>(list.IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd& command : list.CmdBuffer) {
      print.add(Rect{command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w});
      print.add(std::uint64_t{command.ElemCount});
      print.add(std::uint64_t{command.IdxOffset} << 32 | command.VtxOffset);
    }
  }
}

void add_image(Fingerprint& print, const ImageLayout& layout, const Image* image) {
  if (image == nullptr || image->number == 0) return print.add(std::uint64_t{0});
  print.add(image->number);
  print.add(image->stamp.sequence);
  print.add(static_cast<std::uint64_t>(image->ready_ns));
  print.add(layout.place(image->grid));
}

void add_strips(Fingerprint& print, const WindowFrame& frame) {
  const TransientView& view = frame.screen.settings().transient;
  print.add(frame.screen.strips().m_mode);
  print.add(frame.screen.strips().spectrogram);
  print.add(frame.strip.painted());
  print.add(frame.strip.offset_s());
  print.add(view.m_mode_span_s);
  print.add(view.doppler.span_s);
  if (const Spectrogram* shown = frame.spectrogram.shown()) {
    print.add(shown->begun);
    print.add(shown->end);
  }
}

// Returns a fingerprint of the window after ImGui's render: draw data, positions and identities of the images. Without
// the display parameters, which the caller compares. 0: it must be drawn in any case.
std::uint64_t window_look(const WindowFrame& frame) {
  const ImDrawData& data = *ImGui::GetDrawData();
  if (waits_for_textures(data)) return 0;
  Fingerprint print;
  add_panels(print, data);
  print.add(static_cast<std::uint64_t>(frame.surface.width()) << 32 |
            static_cast<std::uint64_t>(frame.surface.height()));
  const ImageLayout& layout = frame.screen.image_layout();
  print.add(layout.image);
  print.add(static_cast<double>(frame.screen.wipe_x()));
  add_image(print, layout, &frame.shown);
  add_image(print, layout, frame.compared);
  print.add(frame.matched.number);
  if (const FlowImage* flow = frame.flow.shown()) {
    print.add(flow->number);
    print.add(static_cast<std::uint64_t>(flow->ready_ns));
  }
  add_strips(print, frame);
  for (const Ground& ground : frame.screen.grounds()) {
    print.add(ground.area);
    print.add(std::uint64_t{ground.hex});
  }
  return print.value();
}

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

// Returns the parts without `cover`, as rectangles.
std::vector<Rect> outside(const std::vector<Rect>& parts, const Rect& cover) {
  std::vector<Rect> rest;
  for (const Rect& part : parts) {
    if (!part.overlaps(cover) || cover.width() <= 0 || cover.height() <= 0) {
      rest.push_back(part);
      continue;
    }
    const Rect common = part.common(cover);
    for (const Rect& side :
         {Rect{part.x0, part.y0, part.x1, common.y0}, Rect{part.x0, common.y1, part.x1, part.y1},
          Rect{part.x0, common.y0, common.x0, common.y1}, Rect{common.x1, common.y0, part.x1, common.y1}}) {
      if (side.width() > 0 && side.height() > 0) rest.push_back(side);
    }
  }
  return rest;
}

}  // namespace

WindowRenderer::WindowRenderer(const std::filesystem::path& shader_dir)
    : painter_(shader_dir), flow_painter_(shader_dir), software_(is_software()) {}

bool WindowRenderer::must_draw_all(const WindowFrame& frame) {
  constexpr std::int64_t kChromeEvery_ns = 100'000'000;  // faster changes of values are unreadable
  const std::int64_t now = now_ns();
  const Rect live = frame.screen.live_area();
  const bool moved = !(live == drawn_live_area_);
  drawn_live_area_ = live;
  const bool popup = ImGui::GetDrawData()->CmdListsCount > 1;
  return moved || live.width() < 1 || popup || frame.touched || now - all_drawn_ns_ > kChromeEvery_ns;
}

// Clears each pixel once, except for the image's: in a large window this costs a GPU more time than the image itself.
void WindowRenderer::clear_grounds(const WindowFrame& frame, const Rect& area, const RenderTarget& to) {
  const bool one_picture = frame.compared == nullptr || frame.compared->number == 0;
  Rect picture;
  if (frame.shown.number != 0 && !frame.shown.grid.polar() && one_picture) {
    const ImageLayout& layout = frame.screen.image_layout();
    picture = layout.place(frame.shown.grid).common(layout.image).inset(1);  // its edges can share pixels
  }
  std::vector<Ground> grounds{{area, theme::kCanvasHex}};
  for (const Ground& ground : frame.screen.grounds()) {
    if (ground.area.overlaps(area)) grounds.push_back({ground.area.common(area), ground.hex});
  }
  glEnable(GL_SCISSOR_TEST);
  for (auto ground = grounds.begin(); ground != grounds.end(); ++ground) {
    std::vector<Rect> seen = outside({ground->area}, picture);
    for (auto above = ground + 1; above != grounds.end(); ++above) seen = outside(seen, above->area);
    for (const Rect& part : seen) clear(part, ground->hex, to);
  }
  glDisable(GL_SCISSOR_TEST);
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
             .matched = &frame.matched,
             .mirrored = layout.mirrored});
  if (!wiped) return;
  const Rect left{r.x0, r.y0, line, r.y1};
  glEnable(GL_SCISSOR_TEST);
  // Area without pixels of A: for a sector it has the window's background.
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
             .display = shown_display(frame.compared->params.formation, frame.display_a),
             .where = where,
             .clip = where.common(seen),
             .mirrored = layout.mirrored});
}

// Draws flow: the low-rank image replaces the B-mode image; power and velocity overlay it.
void WindowRenderer::draw_flow(const WindowFrame& frame, const RenderTarget& to) {
  const FlowImage* flow = frame.stands_in ? nullptr : frame.flow.shown();
  const ImageLayout& layout = frame.screen.image_layout();
  if (flow == nullptr || frame.shown.number == 0 || layout.image.width() <= 0) return;
  Rect seen = layout.image;
  const bool beside = frame.screen.side_a_layout().image.width() > 0;
  if (!beside && frame.compared != nullptr && frame.compared->number != 0) seen.x0 = frame.screen.wipe_x();  // B only
  if (flow->params.color_flow.mode == FlowMode::low_rank) {
    const Rect where = layout.place(flow->grid);
    if (!where.overlaps(seen)) return;
    paint(to, {.texture = frame.flow.texture(),
               .grid = flow->grid,
               .display = frame.display.display,
               .where = where,
               .clip = where.common(seen),
               .mirrored = layout.mirrored});
    return;
  }
  flow_painter_.draw({.flow_texture = frame.flow.texture(),
                      .flow_grid = flow->grid,
                      .picture_texture = frame.texture,
                      .picture_grid = frame.shown.grid,
                      .params = frame.display,
                      .where = to.pixels(layout.place(frame.shown.grid)),
                      .clip = to.pixels(seen),
                      .mirrored = layout.mirrored},
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
  return drawn_look_ != 0 && !frame.fresh && drawn_display_ == frame.display && drawn_display_a_ == frame.display_a &&
         drawn_look_ == window_look(frame);
}

void WindowRenderer::draw(const WindowFrame& frame, Extent extent) {
  const int width = frame.surface.width();
  const int height = frame.surface.height();
  int age = frame.surface.content_age();
  const bool cached = software_ && age == 0;
  if (cached && !canvas_.resize(width, height) && in_canvas_) age = 1;
  in_canvas_ = cached;
  const bool all = must_draw_all(frame) || extent == Extent::all || age == 0 || drawn_since_all_ < age;
  drawn_since_all_ = all ? 1 : drawn_since_all_ + 1;
  if (all) all_drawn_ns_ = now_ns();
  glBindFramebuffer(GL_FRAMEBUFFER, cached ? canvas_.framebuffer() : frame.surface.framebuffer());
  glViewport(0, 0, width, height);
  ImDrawData& data = *ImGui::GetDrawData();
  const RenderTarget to{static_cast<float>(width) / std::max(data.DisplaySize.x, 1.0F), width, height};
  const Rect window{0, 0, data.DisplaySize.x, data.DisplaySize.y};
  clear_grounds(frame, all ? window : frame.screen.live_area(), to);
  draw_pictures(frame, to);
  draw_flow(frame, to);
  draw_strips(frame, to);
  if (all) {
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  } else {
    draw_clipped(data, frame.screen.live_area());
  }
  // No fingerprint for a moving image, which the next one replaces.
  drawn_look_ = all && !frame.fresh ? window_look(frame) : 0;
  drawn_display_ = frame.display;
  drawn_display_a_ = frame.display_a;
  if (!cached) return;
  if (all) {  // Mesa updates its size only when the window itself is drawn to
    glBindFramebuffer(GL_FRAMEBUFFER, frame.surface.framebuffer());
    glViewport(0, 0, width, height);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  canvas_.copy_to(frame.surface.framebuffer());
}

}  // namespace echoloop
