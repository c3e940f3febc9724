// The inspector's dock: what one pixel is made of. Wide, all plots side by side; narrow, in pages. UI thread only.
#pragma once

#include "gui/docks/inspector_parts.h"

namespace echoloop {

class Inspector {
 public:
  // Between its head and its edges; `head`: the free part of the dock's head.
  void draw(PanelContext& c, const Rect& head, const Rect& body);
  // Lets textures go.
  void close() { *this = {}; }

 private:
  void draw_head(PanelContext& c, const Rect& head, bool paged);
  void draw_plots(PanelContext& c, const Rect& body, bool paged);

  struct Textures {
    ChannelMap raw, aligned;
    TransmitPictures pictures;
  };
  std::unique_ptr<Textures> textures_;  // null: nothing was drawn yet
  int page_ = 0;                        // of a narrow dock
};

}  // namespace echoloop
