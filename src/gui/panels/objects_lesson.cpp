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
     "Most pixels show nothing in particular: noise, or the speckle of even tissue. Kappa-sigma clipping finds their "
     "levels. Take the median and the standard deviation (sigma) of all levels, drop every pixel that is more than "
     "kappa sigma away from the median, and begin again with the rest until none is dropped. Bright targets and empty "
     "cysts go first, and what they added to sigma goes with them. What stays is the background. A picture "
     "that is half one tissue and half another has no one background: sigma then spans both."},
    {"2  Smoothing",
     "In fully developed speckle sigma is 5.6 dB: single speckles cross any useful threshold. An average over the "
     "surroundings does not. Over n independent speckles its sigma is smaller by the root of n, while whatever is "
     "larger than the Gaussian keeps its level. So the threshold acts on the smoothed picture, whose background is "
     "found anew. The price: outlines are rounded, and what is smaller than the Gaussian fades."},
    {"3  Threshold",
     "Bright objects lie more than so many sigma above the mean of the smoothed background, dark ones below it. By "
     "chance alone one pixel in 44 lies beyond 2 sigma, one in 740 beyond 3 and one in 32\u202F000 beyond 4 (if levels "
     "are "
     "spread like a Gaussian): the larger the picture, the higher the threshold has to be."},
    {"4  Objects",
     "Pixels beyond the threshold that touch along an edge are one object. Its area is the sum of its pixels' areas in "
     "the plane, which on a sector grow with the distance from the apex. Its mean level is that of the picture as it "
     "is, before smoothing."},
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
  bool& shown = c.view.objects.explained;
  const std::string_view word = shown ? "hide" : "how it works";
  const float w = ui.width(Type::small, word) + ui.px(8);
  const Rect r{column.x1 - w, header_y, column.x1, header_y + ui.px(theme::kHeader)};
  const Hit h = ui.control("objects_explain", r);
  ui.tip("objects_explain", h, r,
         {"How it works", "From the picture's levels to a table of objects, in four steps that can be read here.", {}});
  ui.text_right(Type::small, r.x1, r.y0, r.height(), h.hovered ? theme::kText : theme::kMuted, word);
  if (h.clicked) shown = !shown;
}

}  // namespace echoloop
