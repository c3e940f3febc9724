// One rectangle of a framebuffer through a shader that makes its corners from clip_rect. UI thread only.
#pragma once

#include <glad/gl.h>

#include <algorithm>
#include <cmath>

#include "gui/state/rect.h"

namespace echoloop {

// Left, top, right and bottom of `r` in clip coordinates, for the shader in use. Pixels from the framebuffer's top
// left.
inline void set_clip_rect(int uniform, const Rect& r, int width, int height) {
  const auto x = [width](float v) { return 2.0F * v / static_cast<float>(width) - 1.0F; };
  const auto y = [height](float v) { return 1.0F - 2.0F * v / static_cast<float>(height); };
  glUniform4f(uniform, x(r.x0), y(r.y0), x(r.x1), y(r.y1));
}

// With the shader and the textures in use; nothing is drawn outside `clip`. `vertices`: an empty vertex array.
inline void draw_quad(unsigned int vertices, const Rect& clip, int height) {
  const auto whole = [](float v) { return static_cast<int>(std::lround(v)); };
  glBindVertexArray(vertices);
  glEnable(GL_SCISSOR_TEST);
  glScissor(whole(clip.x0), height - whole(clip.y1), std::max(whole(clip.x1) - whole(clip.x0), 0),
            std::max(whole(clip.y1) - whole(clip.y0), 0));
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_BLEND);
  glBindVertexArray(0);
  glUseProgram(0);
}

}  // namespace echoloop
