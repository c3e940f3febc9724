// What a dock shows: one object for each row of state/dock_list.h, as long as the window is open. UI thread only.
#pragma once

#include "gui/panels/panels.h"
#include "gui/view/m_mode.h"

namespace echoloop {

// Where the viewer draws the pixels of the strips, below everything else. Empty: nowhere.
struct StripBoxes {
  Rect m_mode, spectrogram;
};

struct DockScene {
  PanelContext& c;
  const Image& image;
  const MModeStrip& strip;
  StripBoxes& boxes;
};

class DockContent {
 public:
  DockContent() = default;
  DockContent(const DockContent&) = delete;
  DockContent& operator=(const DockContent&) = delete;
  virtual ~DockContent() = default;

  // `head`: the free part of the dock's head, beside its title.
  virtual void draw(const DockScene& scene, Rect head, const Rect& body) = 0;
  // It is not on screen: releases its textures.
  virtual void close() {}
  // In the presentation, where it takes part in it.
  [[nodiscard]] virtual bool is_presented(const PanelContext& /*c*/) const { return false; }
  virtual void draw_presented(const DockScene& /*scene*/, const Rect& /*cell*/) {}
};

}  // namespace echoloop
