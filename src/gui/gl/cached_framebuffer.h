// A framebuffer that keeps its content from frame to frame, in front of the surface's own, which does not. Only for
// software rendering, where drawing the columns anew for every image would take more time than the image. UI thread
// only.
#pragma once

#include <glad/gl.h>

namespace echoloop {

class CachedFramebuffer {
 public:
  CachedFramebuffer() = default;
  ~CachedFramebuffer() { release(); }
  CachedFramebuffer(const CachedFramebuffer&) = delete;
  CachedFramebuffer& operator=(const CachedFramebuffer&) = delete;

  // True when the size changed: the content is then gone.
  bool resize(int width, int height) {
    if (framebuffer_ != 0 && width == width_ && height == height_) return false;
    release();
    glCreateRenderbuffers(1, &color_);
    glNamedRenderbufferStorage(color_, GL_RGBA8, width, height);
    glCreateFramebuffers(1, &framebuffer_);
    glNamedFramebufferRenderbuffer(framebuffer_, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    width_ = width;
    height_ = height;
    return true;
  }

  [[nodiscard]] unsigned int framebuffer() const { return framebuffer_; }

  void copy_to(unsigned int target) const {
    glBlitNamedFramebuffer(framebuffer_, target, 0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                           GL_NEAREST);
  }

 private:
  void release() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &color_);
  }

  unsigned int framebuffer_ = 0;
  unsigned int color_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace echoloop
