// The tool bar's icons, 16 pixels at scale 1: lines of 1.5 pixels.
#include <cmath>
#include <initializer_list>
#include <vector>

#include "core/units.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

struct Pen {
  const Painter& p;
  float cx, cy;
  ImU32 color;

  [[nodiscard]] ImVec2 at(ImVec2 v) const { return {cx + v.x * p.scale(), cy + v.y * p.scale()}; }
  void line(std::initializer_list<ImVec2> points) const {
    std::vector<ImVec2> placed;
    for (const ImVec2 v : points) placed.push_back(at(v));
    compat::add_polyline(p.list(), placed.data(), static_cast<int>(placed.size()), color, 1.5F * p.scale());
  }
  void dot(ImVec2 v, float radius) const { p.disc(at(v).x, at(v).y, radius, color); }
  void round(float rx, float rz, float tilt_rad) const {
    std::vector<ImVec2> placed;
    constexpr int kPieces = 28;
    for (int i = 0; i <= kPieces; ++i) {
      const float t = static_cast<float>(2.0 * kPi) * static_cast<float>(i) / kPieces;
      const float a = rx * std::cos(t), b = rz * std::sin(t), c = std::cos(tilt_rad), s = std::sin(tilt_rad);
      placed.push_back(at({a * c - b * s, a * s + b * c}));
    }
    compat::add_polyline(p.list(), placed.data(), static_cast<int>(placed.size()), color, 1.5F * p.scale());
  }
};

void outline_icon(const Pen& pen) {
  pen.line({{-6, 1}, {-5, -4}, {-1, -6}, {3, -4}, {6, -4}, {6.5F, 0}, {4, 2}, {4.5F, 5}, {1, 6}, {-3, 5}, {-6, 1}});
}

}  // namespace

void draw_tool_icon(const Painter& painter, MarkTool tool, float cx, float cy, ImU32 color) {
  const Pen pen{painter, cx, cy, color};
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
    case MarkTool::profile:  // a line, and what is plotted along it
      pen.line({{-7, 6}, {7, 6}});
      pen.line({{-7, 2}, {-4, 1}, {-2, -6}, {0.5F, -1}, {3, -3}, {5, 1.5F}, {7, 2}});
      return;
    case MarkTool::point:
      pen.dot({0, 0}, 2);
      pen.line({{-7.5F, 0}, {-4, 0}});
      pen.line({{4, 0}, {7.5F, 0}});
      pen.line({{0, -7.5F}, {0, -4}});
      return pen.line({{0, 4}, {0, 7.5F}});
    case MarkTool::inspect:  // the echo of one place
      return pen.line({{0, -7.5F}, {0, -4.5F}, {-3, -3}, {6, -0.5F}, {-6, 2}, {3, 4}, {0, 5}, {0, 7.5F}});
    case MarkTool::gate:  // two ends on a beam
      pen.line({{0, -7.5F}, {0, -3}});
      pen.line({{0, 3}, {0, 7.5F}});
      pen.line({{-5, -3}, {5, -3}});
      return pen.line({{-5, 3}, {5, 3}});
  }
}

void draw_bar_icon(const Painter& painter, BarIcon icon, float cx, float cy, ImU32 color) {
  const Pen pen{painter, cx, cy, color};
  switch (icon) {
    case BarIcon::zoom_in:
      pen.line({{0, -5}, {0, 5}});
      [[fallthrough]];
    case BarIcon::zoom_out:
      return pen.line({{-5, 0}, {5, 0}});
    case BarIcon::fit:
      pen.line({{-7, -3}, {-7, -6}, {-4, -6}});
      pen.line({{4, -6}, {7, -6}, {7, -3}});
      pen.line({{7, 3}, {7, 6}, {4, 6}});
      return pen.line({{-4, 6}, {-7, 6}, {-7, 3}});
    case BarIcon::enlarge:
      pen.line({{-6, 6}, {6, -6}});
      pen.line({{1, -6}, {6, -6}, {6, -1}});
      return pen.line({{-6, 1}, {-6, 6}, {-1, 6}});
    case BarIcon::clear:  // a bin
      pen.line({{-6, -4}, {6, -4}});
      pen.line({{-2, -4}, {-2, -6.5F}, {2, -6.5F}, {2, -4}});
      pen.line({{-4.5F, -4}, {-3.8F, 6.5F}, {3.8F, 6.5F}, {4.5F, -4}});
      pen.line({{-1.3F, -1}, {-1.3F, 3.5F}});
      return pen.line({{1.3F, -1}, {1.3F, 3.5F}});
    case BarIcon::measure:  // a rule
      pen.line({{-7.5F, -3.5F}, {7.5F, -3.5F}, {7.5F, 3.5F}, {-7.5F, 3.5F}, {-7.5F, -4.25F}});
      pen.line({{-3.75F, -3.5F}, {-3.75F, 0}});
      pen.line({{0, -3.5F}, {0, 1}});
      return pen.line({{3.75F, -3.5F}, {3.75F, 0}});
    case BarIcon::inspector:  // echoes along a delay curve
      pen.line({{-7, -6}, {-7, 6}, {7, 6}});
      return pen.line({{-4, -5}, {-1.5F, 1}, {1.5F, 2}, {4, 0}, {6, -5}});
    case BarIcon::m_mode:
      pen.line({{-7, -6}, {-7, 6}, {7, 6}});
      return pen.line({{-4.5F, 1}, {-2.5F, -3}, {-0.5F, 1}, {1.5F, -3}, {3.5F, 1}, {5.5F, -3}});
    case BarIcon::sonogram:  // two heart beats over a baseline
      pen.line({{-7, 4}, {7, 4}});
      return pen.line({{-7, 1}, {-5, -6}, {-2, 0}, {0, 1}, {2, -6}, {5, 0}, {7, 1}});
    case BarIcon::save:  // into a tray
      pen.line({{0, -7}, {0, 2}});
      pen.line({{-3.5F, -1.5F}, {0, 2}, {3.5F, -1.5F}});
      return pen.line({{-7, 2}, {-7, 6.5F}, {7, 6.5F}, {7, 2}});
  }
}

}  // namespace echoloop
