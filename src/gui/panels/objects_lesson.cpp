// How objects are found, to be read beside the picture: at a desk, or from a projector.
#include <array>

#include "gui/panels/objects_parts.h"

namespace echoloop {
namespace {

struct Lesson {
  std::string_view title, text;
};
constexpr std::array<Lesson, 4> kLessons = {{
    {"1  Background",
     "Most pixels are background: noise, or speckle of homogeneous tissue. Kappa-sigma clipping estimates the "
     "background levels: compute the median and the standard deviation (sigma) of all levels, exclude pixels more than "
     "kappa sigma from the median, and repeat until no pixel is excluded. Bright targets and dark cysts are excluded "
     "first, which reduces sigma. The remaining pixels are the background. An image of two different tissues has no "
     "single background: sigma then covers both."},
    {"2  Smoothing",
     "In fully developed speckle sigma is 5.6 dB, so single speckles exceed any useful threshold. A local average over "
     "n independent speckles reduces sigma by the square root of n, while structures larger than the Gaussian keep "
     "their level. The threshold therefore acts on the smoothed image, with a separate background estimate. Drawbacks: "
     "outlines are rounded, and structures smaller than the Gaussian fade."},
    {"3  Threshold",
     "Bright objects exceed the mean of the smoothed background by the threshold in sigma, dark objects are below the "
     "mean by the same amount. For Gaussian levels, one pixel in 44 exceeds 2 sigma by chance, one in 740 exceeds 3 "
     "sigma, and one in 32\u202F000 exceeds 4 sigma: larger images need higher thresholds."},
    {"4  Objects",
     "Pixels beyond the threshold that share an edge form one object. The area is the sum of the pixel areas in the "
     "plane, which in a sector increase with the distance from the apex. The mean level is computed before smoothing."},
}};

}  // namespace

void objects_lesson(Ui& ui, Column& column) {
  const float wide = column.x1 - column.x0;
  for (const Lesson& lesson : kLessons) {
    const Rect r = ui.row(column, 20, 0);
    ui.text(Type::strong, r, theme::kText, lesson.title);
    column.y += ui.paragraph(Type::small, column.x0, column.y, wide, ui.px(16), theme::kText2, lesson.text) + ui.px(6);
  }
}

void lesson_link(PanelContext& c, const Column& column, float header_y) {
  Ui& ui = c.ui;
  bool& shown = c.view.transient.objects.explained;
  const std::string_view word = shown ? "hide" : "method";
  const float w = ui.width(Type::small, word) + ui.px(8);
  const Rect r{column.x1 - w, header_y, column.x1, header_y + ui.px(theme::kHeader)};
  const Hit h = ui.control("objects_explain", r);
  ui.tip("objects_explain", h, r, {"Method", "From image levels to a table of objects, in four steps.", {}});
  ui.text_right(Type::small, r.x1, r.y0, r.height(), h.hovered ? theme::kText : theme::kMuted, word);
  if (h.clicked) shown = !shown;
}

}  // namespace echoloop
