#include "gui/window_look.h"

#include <bit>
#include <cstring>

#include "gui/gl/imgui_compat.h"

namespace echoloop {
namespace {

// FNV-1a over words of eight bytes, with a shift so that high bits reach the low ones.
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

}  // namespace

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

}  // namespace echoloop
