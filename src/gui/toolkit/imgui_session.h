// The ImGui context with its OpenGL backend, bound to a surface, and the font atlas for a scale. UI thread only.
// Our own settings file remembers the layout: ImGui writes no file.
#pragma once

#include "gui/gl/surface.h"
#include "gui/toolkit/fonts.h"

namespace echoloop {

class ImguiSession {
 public:
  explicit ImguiSession(Surface& surface);  // the surface outlives this; its OpenGL context is current
  ~ImguiSession();
  ImguiSession(const ImguiSession&) = delete;
  ImguiSession& operator=(const ImguiSession&) = delete;

  void build_fonts(Fonts& fonts, float scale);  // between frames

 private:
  Surface& surface_;
};

}  // namespace echoloop
