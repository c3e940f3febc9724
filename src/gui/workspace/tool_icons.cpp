// Icons of tools and actions.
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

void outline_icon(const IconPen& pen) {
  pen.line({{-6, 1}, {-5, -4}, {-1, -6}, {3, -4}, {6, -4}, {6.5F, 0}, {4, 2}, {4.5F, 5}, {1, 6}, {-3, 5}, {-6, 1}});
}

}  // namespace

void draw_tool_icon(const Painter& painter, MarkTool tool, float cx, float cy, ImU32 color) {
  const IconPen pen{painter, cx, cy, color};
  switch (tool) {
    case MarkTool::pointer:
      pen.line({{-4, -7}, {-4, 5}, {-1, 2}, {1.5F, 7}, {3.5F, 6}, {1, 1.2F}, {5, 1}, {-4, -7}});
      return;
    case MarkTool::distance:
      pen.line({{-5, 5}, {5, -5}});
      pen.line({{-7.5F, 2.5F}, {-2.5F, 7.5F}});
      pen.line({{2.5F, -7.5F}, {7.5F, -2.5F}});
      return;
    case MarkTool::angle:
      pen.line({{5, -6}, {-6, 6}, {7, 6}});
      pen.line({{-1, 1.5F}, {1, 3.5F}, {1.6F, 6}});
      return;
    case MarkTool::ellipse:
      return pen.round(7.5F, 4.5F, -0.5F);
    case MarkTool::rectangle:
      return pen.line({{-7, -5}, {7, -5}, {7, 5}, {-7, 5}, {-7, -5.75F}});
    case MarkTool::circle:
      return pen.round(6.5F, 6.5F, 0);
    case MarkTool::outline:
      return outline_icon(pen);
    case MarkTool::profile:  // a line, and the plot along it
      pen.line({{-7, 6}, {7, 6}});
      pen.line({{-7, 2}, {-4, 1}, {-2, -6}, {0.5F, -1}, {3, -3}, {5, 1.5F}, {7, 2}});
      return;
    case MarkTool::point:
      pen.dot({0, 0}, 2);
      pen.line({{-7.5F, 0}, {-4, 0}});
      pen.line({{4, 0}, {7.5F, 0}});
      pen.line({{0, -7.5F}, {0, -4}});
      return pen.line({{0, 4}, {0, 7.5F}});
    case MarkTool::inspect:  // echo of one point
      return pen.line({{0, -7.5F}, {0, -4.5F}, {-3, -3}, {6, -0.5F}, {-6, 2}, {3, 4}, {0, 5}, {0, 7.5F}});
    case MarkTool::gate:  // two ends on a beam
      pen.line({{0, -7.5F}, {0, -3}});
      pen.line({{0, 3}, {0, 7.5F}});
      pen.line({{-5, -3}, {5, -3}});
      return pen.line({{-5, 3}, {5, 3}});
  }
}

void zoom_out_icon(const IconPen& pen) { pen.line({{-5, 0}, {5, 0}}); }

void zoom_in_icon(const IconPen& pen) {
  pen.line({{0, -5}, {0, 5}});
  zoom_out_icon(pen);
}

void fit_icon(const IconPen& pen) {
  pen.line({{-7, -3}, {-7, -6}, {-4, -6}});
  pen.line({{4, -6}, {7, -6}, {7, -3}});
  pen.line({{7, 3}, {7, 6}, {4, 6}});
  pen.line({{-4, 6}, {-7, 6}, {-7, 3}});
}

void enlarge_icon(const IconPen& pen) {
  pen.line({{-6, 6}, {6, -6}});
  pen.line({{1, -6}, {6, -6}, {6, -1}});
  pen.line({{-6, 1}, {-6, 6}, {-1, 6}});
}

void clear_icon(const IconPen& pen) {  // a bin
  pen.line({{-6, -4}, {6, -4}});
  pen.line({{-2, -4}, {-2, -6.5F}, {2, -6.5F}, {2, -4}});
  pen.line({{-4.5F, -4}, {-3.8F, 6.5F}, {3.8F, 6.5F}, {4.5F, -4}});
  pen.line({{-1.3F, -1}, {-1.3F, 3.5F}});
  pen.line({{1.3F, -1}, {1.3F, 3.5F}});
}

void measure_icon(const IconPen& pen) {  // a rule
  pen.line({{-7.5F, -3.5F}, {7.5F, -3.5F}, {7.5F, 3.5F}, {-7.5F, 3.5F}, {-7.5F, -4.25F}});
  pen.line({{-3.75F, -3.5F}, {-3.75F, 0}});
  pen.line({{0, -3.5F}, {0, 1}});
  pen.line({{3.75F, -3.5F}, {3.75F, 0}});
}

void save_icon(const IconPen& pen) {  // into a tray
  pen.line({{0, -7}, {0, 2}});
  pen.line({{-3.5F, -1.5F}, {0, 2}, {3.5F, -1.5F}});
  pen.line({{-7, 2}, {-7, 6.5F}, {7, 6.5F}, {7, 2}});
}

}  // namespace echoloop
