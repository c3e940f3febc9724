// Owners of OpenGL textures of two dimensions, uploaded when their content changes. UI thread only.
#pragma once

#include <glad/gl.h>

#include <cstdint>
#include <span>

namespace echoloop {

class Texture2d {
 public:
  Texture2d() = default;
  ~Texture2d() { release(); }
  Texture2d(const Texture2d&) = delete;
  Texture2d& operator=(const Texture2d&) = delete;

  [[nodiscard]] bool fits(int width, int height) const { return texture_ != 0 && width == width_ && height == height_; }

  // A new texture: immutable storage cannot change its size. `magnified`: the filter of magnified pixels.
  void allocate(int width, int height, unsigned int format, int magnified) {
    release();
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, format, width, height);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, magnified);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    width_ = width;
    height_ = height;
  }

  void release() {
    glDeleteTextures(1, &texture_);
    texture_ = 0;
  }

  [[nodiscard]] unsigned int id() const { return texture_; }  // 0: nothing yet
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  unsigned int texture_ = 0;
  int width_ = 0;
  int height_ = 0;
};

// A small image of colours for ImGui to draw.
class ColorTexture {
 public:
  // rgba: [height][width], the order of IM_COL32's bytes. Magnified pixels stay squares.
  void update(int width, int height, std::span<const std::uint32_t> rgba) {
    if (!texture_.fits(width, height)) texture_.allocate(width, height, GL_RGBA8, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage2D(texture_.id(), 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  }
  [[nodiscard]] unsigned int id() const { return texture_.id(); }  // 0: nothing yet

 private:
  Texture2d texture_;
};

}  // namespace echoloop
