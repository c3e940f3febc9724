// The area below the image in which one dock is open, and its upper edge, a splitter. UI thread only.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "gui/docks/dock_content.h"
#include "gui/view/image_view.h"

namespace echoloop {

class DockArea {
 public:
  static constexpr float kFolded = 30;  // height of the line in a window that is too low, at scale 1

  DockArea();

  // Takes its place from the bottom of `area`; empty when closed, a line that says so where a low window has no room.
  Rect place(Ui& ui, ViewSettings& view, Rect& area, bool compact) const;
  void draw(const DockScene& scene, const Rect& r);
  void close(Dock but = Dock::none);  // all other docks

  // In the presentation: all that take part, one below the other; where there is little room one of them, chosen by a
  // tap.
  void draw_presented(const DockScene& scene, const Rect& area);

 private:
  static Rect folded(const Ui& ui, Rect& area);
  void choose_presented(PanelContext& c, const Rect& row, std::span<const std::size_t> docks);

  std::array<std::unique_ptr<DockContent>, kDocks.size()> contents_;  // by place in kDocks
  std::size_t presented_ = 0;                                         // likewise, where there is room for one
};

// On the image: the pixel that is inspected, or the line.
void draw_inspected(const Ui& ui, const ImageLayout& layout, const Image& image, PlanePoint at, Dock dock);

}  // namespace echoloop
