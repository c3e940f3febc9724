// The OpenGL side of FrameTexture, the same for both makers: one R32F texture of a grid's size. UI thread only.
#pragma once

#include <glad/gl.h>

namespace echoloop {

class PictureTexture {
 public:
  PictureTexture() = default;
  ~PictureTexture() { glDeleteTextures(1, &texture_); }
  PictureTexture(const PictureTexture&) = delete;
  PictureTexture& operator=(const PictureTexture&) = delete;

  [[nodiscard]] bool fits(int width, int height) const { return texture_ != 0 && width == width_ && height == height_; }

  // A new texture: immutable storage cannot change its size.
  void allocate(int width, int height) {
    glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, GL_R32F, width, height);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    width_ = width;
    height_ = height;
  }

  [[nodiscard]] unsigned int id() const { return texture_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  unsigned int texture_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace echoloop
