// What can be opened below the picture, above the cine strip: the inspector, the M-mode strip, or the
// sonogram. Its upper edge is a splitter. Closed, it makes, asks and keeps nothing. UI thread only.
#pragma once

#include "gui/docks/inspector_dock.h"
#include "gui/docks/m_mode_dock.h"
#include "gui/docks/sonogram_dock.h"
#include "gui/view/image_view.h"

namespace echoloop {

// Empty: nowhere.
struct StripBoxes {
  Rect m_mode, sonogram;
};

class DockArea {
 public:
  static constexpr float kFolded = 30;  // height of that line, at scale 1

  // Takes its place from the bottom of `area`; empty when closed, a line that says so where a low window has no room.
  Rect place(Ui& ui, ViewSettings& view, Rect& area, bool compact) const;
  void draw(PanelContext& c, const Rect& r, const Image& image, const MModeStrip& strip);
  void close() { inspector_.close(), boxes_ = {}; }

  // In the presentation: what is on, one below the other; where there is little room one of both, chosen by a tap.
  StripBoxes draw_presented(PanelContext& c, const Rect& area, const Image& image, const MModeStrip& strip);

  // Where the strips' pixels go.
  [[nodiscard]] const StripBoxes& boxes() const { return boxes_; }
  [[nodiscard]] double strip_span_s() const { return m_mode_.span_s(); }
  [[nodiscard]] double sonogram_span_s() const { return sonogram_.span_s(); }
  [[nodiscard]] DopplerCurves doppler_curves() const { return sonogram_.curves(); }

 private:
  static Rect folded(const Ui& ui, Rect& area);
  void draw_content(PanelContext& c, const Rect& head, const Rect& body, const Image& image, const MModeStrip& strip);

  Inspector inspector_;
  MModeDock m_mode_;
  SonogramDock sonogram_;
  StripBoxes boxes_;
  bool presents_sonogram_ = false;  // of both, where there is room for one
};

// On the picture: the pixel that is looked at, or the line.
void draw_inspected(const Ui& ui, const PictureLayout& layout, const Image& image, PlanePoint at, Dock dock);

}  // namespace echoloop
