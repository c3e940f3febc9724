// Rulers in millimetres, colour bars and the scale bar around an image on any canvas: the same in films, figures and
// saved images. All lengths follow the size of the letters. Any thread. No ImGui.
#pragma once

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "render/canvas.h"

namespace echoloop {

struct ScaleLook {
  double em = 20.0;                     // of labels, in units of the canvas
  double x_apart = 5.0, z_apart = 4.0;  // least distance of a ruler's numbers, em
  Rgb text = ink::kText, text2 = ink::kText2, muted = ink::kMuted, tick = ink::kTick, edge = ink::kEdge;

  [[nodiscard]] TextLook label(Rgb color, Weight weight = Weight::regular) const {
    return {.em = static_cast<float>(em), .weight = weight, .color = color};
  }
};

// What the length of a tick, the gaps beside it and the labels of a bar take.
inline constexpr double kTopRuler_em = 2.1, kLeftRuler_em = 4.0, kBarLabels_em = 3.2;

enum class RulerLabels { ticks_only, numbers };

void draw_x_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look);
void draw_z_ruler(Canvas& canvas, const CanvasRect& image, const Grid& grid, const ScaleLook& look, RulerLabels labels);

// The display window: white (or the map's last colour) above, black below, labels to the right, "dB" above, after A or
// B where each side of a comparison has a bar.
void draw_level_bar(Canvas& canvas, const CanvasRect& bar, const ImagingParams& params, const ScaleLook& look,
                    const std::string& side = {});

// Power or velocity, its unit above.
struct FlowBarTick {  // in units of the canvas
  double away, length, thickness;
};
void draw_flow_bar(Canvas& canvas, const CanvasRect& bar, const FlowImage& flow, const ImagingParams& display,
                   const ScaleLook& look, FlowBarTick tick);

// A length of 1, 2 or 5 x 10^k mm, 15 to 40 % of the image's width, in the image's lower right corner.
void draw_scale_bar(Canvas& canvas, const CanvasRect& image, double units_per_m, double em);

}  // namespace echoloop
