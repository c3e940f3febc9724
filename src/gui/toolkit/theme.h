// Colours and lengths of the window. Lengths are at scale 1; Painter::px() scales them. Constants instead of ImGui's
// style, as almost everything is drawn with the draw list, and the look is fixed.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "core/timing_trace.h"
#include "gui/gl/imgui_compat.h"
#include "gui/gl/surface.h"
#include "gui/state/ui_state.h"
#include "render/canvas.h"

namespace echoloop::theme {

constexpr ImU32 rgb(unsigned int hex, unsigned int alpha = 0xFF) {
  return IM_COL32((hex >> 16) & 0xFF, (hex >> 8) & 0xFF, hex & 0xFF, alpha);
}

inline constexpr unsigned int kCanvasHex = 0x0B0D0F;
inline constexpr unsigned int kPanelHex = 0x14171A;
inline constexpr unsigned int kBarHex = 0x191D21;
inline constexpr ImU32 kCanvas = rgb(kCanvasHex);
inline constexpr ImU32 kPanel = rgb(kPanelHex);
inline constexpr ImU32 kBar = rgb(kBarHex);
inline constexpr ImU32 kField = rgb(0x20252A);
inline constexpr ImU32 kHover = rgb(0x2A3036);
inline constexpr ImU32 kLine = rgb(0x2B3137);
inline constexpr ImU32 kFaintLine = rgb(0x1F2429);
inline constexpr ImU32 kLine2 = rgb(0x3A424A);
inline constexpr ImU32 kEdge = rgb(0x050607);
inline constexpr ImU32 kText = rgb(0xE8ECEF);
inline constexpr ImU32 kText2 = rgb(0xA9B2BA);
inline constexpr ImU32 kMuted = rgb(0x8F99A2);
inline constexpr ImU32 kDisabled = rgb(0x848D95);
inline constexpr ImU32 kTick = rgb(0x5F6870);  // lines only: too dark for text
inline constexpr ImU32 kAccent = rgb(0x4CC3E0);
inline constexpr ImU32 kAccentHover = rgb(0x6BD0E8);
inline constexpr ImU32 kSelected = rgb(0x224751);
inline constexpr ImU32 kHistoryAfter = rgb(0x2B5561);   // history frames after the playhead
inline constexpr ImU32 kHistoryBefore = rgb(0x3C8CA0);  // history frames before it
inline constexpr ImU32 kInk = rgb(0x0B0D0F);
inline constexpr ImU32 kInkMuted = rgb(0x12343C);
inline constexpr ImU32 kRed = rgb(0xFF6B61);
inline constexpr ImU32 kRedGround = rgb(0x2A1517);
inline constexpr ImU32 kWarn = rgb(0xE9B85C);
inline constexpr ImU32 kBlack = rgb(0x000000);
inline constexpr ImU32 kChip = rgb(0x000000, 199);  // 78 %
inline constexpr ImU32 kHalo = rgb(0x000000, 171);  // 67 %

inline constexpr auto kStageColors = [] {
  std::array<ImU32, kStages.size()> colors;
  for (std::size_t i = 0; i < colors.size(); ++i) colors[i] = rgb(kStages[i].color);
  return colors;
}();

inline constexpr float kStatusBar = 44;
inline constexpr float kMessageLine = 30;
inline constexpr float kCine = 100;
inline constexpr float kCineCompact = 88;
inline constexpr float kCaption = 32;
inline constexpr float kRulerTop = 40;
inline constexpr float kRulerLeft = 44;
inline constexpr float kColorBar = 76;
inline constexpr float kColorBarCompact = 60;
inline constexpr float kHeader = 32;
inline constexpr float kRow = 28;
inline constexpr float kRowGap = 5;
inline constexpr float kSliderRow = 38;
inline constexpr float kRadius = 5;
inline constexpr float kCompactBelow = 1320;  // logical width of the window

}  // namespace echoloop::theme

namespace echoloop {

// Colours of a message, in all lists.

inline ImU32 severity_dot(Severity severity) {
  switch (severity) {
    case Severity::info:
      return theme::kMuted;
    case Severity::warning:
      return theme::kWarn;
    case Severity::error:
      return theme::kRed;
  }
  return theme::kMuted;
}

inline ImU32 severity_ink(Severity severity) { return severity == Severity::error ? theme::kRed : theme::kText2; }

// Fonts: Inter, then DejaVu Sans, then ImGui's own font, at the sizes of the design times the window's scale. Inter's
// digits are proportional; they are merged with a fixed advance so that live numbers do not move. UI thread only.

enum class Type { body, strong, small, badge, medium, large, large_strong, heading, number };
inline constexpr int kTypeCount = 9;

class Fonts {
 public:
  // Rebuilds ImGui's atlas for `scale`; the caller renews the backend's texture (up to ImGui 1.91). `family` null:
  // ImGui's own font, which draws characters outside Latin-1 as their nearest in ASCII.
  void build(float scale, const FontFamily* family = installed_family());

  [[nodiscard]] ImFont* font(Type type) const { return fonts_[static_cast<std::size_t>(type)]; }
  [[nodiscard]] float size(Type type) const { return sizes_[static_cast<std::size_t>(type)]; }  // pixels
  [[nodiscard]] const std::string& family() const { return family_; }  // "Inter", "DejaVu Sans" or "ProggyClean"

 private:
  std::array<ImFont*, kTypeCount> fonts_{};
  std::array<float, kTypeCount> sizes_{};
  std::string family_;
};

// Scale of the interface: the available steps, and the largest that fits a window. Pure. Any thread.

inline constexpr std::array<float, 9> kUiScales = {0.75F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.25F, 2.5F, 3.0F};

// Returns the step above `now` (by = 1) or below it (-1); `now` itself at the ends.
inline float next_scale(float now, int by) {
  constexpr float kNear = 0.01F;
  if (by > 0) {
    for (const float step : kUiScales) {
      if (step > now + kNear) return step;
    }
    return now;
  }
  float below = now;
  for (const float step : kUiScales) {
    if (step < now - kNear) below = step;
  }
  return below;
}

// Limits `wanted` so that both columns' controls and an image fit in a window of this many pixels; at least 1.
inline float fitting_scale(float wanted, float width, float height) {
  constexpr float kLeastWidth = 720, kLeastHeight = 450;  // at scale 1
  return std::min(wanted, std::max(1.0F, std::min(width / kLeastWidth, height / kLeastHeight)));
}

// ImGui context with its OpenGL backend, bound to a surface, and the font atlas for a scale. UI thread only. The
// program's own settings file keeps the layout: ImGui writes no file.

class ImguiSession {
 public:
  explicit ImguiSession(Surface& surface);  // the surface outlives this; its OpenGL context is current
  ~ImguiSession();
  ImguiSession(const ImguiSession&) = delete;
  ImguiSession& operator=(const ImguiSession&) = delete;

  void build_fonts(Fonts& fonts, float scale);  // call between frames

 private:
  Surface& surface_;
};

}  // namespace echoloop
