// Colours and lengths of the window. Lengths are at scale 1; Painter::px() scales them.
// Why constants and not ImGui's style: almost everything is drawn with the draw list, and the look is fixed.
#pragma once

#include <array>

#include "core/stages.h"
#include "gui/gl/imgui_compat.h"

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
inline constexpr ImU32 kHistoryAfter = rgb(0x2B5561);   // kept frames, after the playhead
inline constexpr ImU32 kHistoryBefore = rgb(0x3C8CA0);  // and before it
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
inline constexpr float kCompactBelow = 1320;  // of the window's logical width

}  // namespace echoloop::theme
