// A small picture of colours for ImGui to draw: uploaded when it changes, gone with its owner. UI thread only.
#pragma once

#include <glad/gl.h>

#include <cstdint>
#include <span>

namespace echoloop {

class ColorTexture {
 public:
  ColorTexture() = default;
  ~ColorTexture() { glDeleteTextures(1, &texture_); }
  ColorTexture(const ColorTexture&) = delete;
  ColorTexture& operator=(const ColorTexture&) = delete;

  // rgba: [height][width], the order of IM_COL32's bytes. Magnified pixels stay squares.
  void update(int width, int height, std::span<const std::uint32_t> rgba) {
    if (texture_ == 0 || width != width_ || height != height_) {
      glDeleteTextures(1, &texture_);
      glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
      glTextureStorage2D(texture_, 1, GL_RGBA8, width, height);
      glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      glTextureParameteri(texture_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
      glTextureParameteri(texture_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
      width_ = width;
      height_ = height;
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTextureSubImage2D(texture_, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  }
  [[nodiscard]] unsigned int id() const { return texture_; }  // 0: nothing yet

 private:
  unsigned int texture_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace echoloop
