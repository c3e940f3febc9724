// Program of one vertex and one fragment shader read from files; reloaded when a file changes on disk. A version that
// does not compile is reported in one line and the last valid one stays. UI thread only.
#pragma once

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "gui/overlay/transfer_function.h"
#include "gui/state/rect.h"

namespace echoloop {

class Shader {
 public:
  // Reads `name`.vert and `name`.frag from `folder`; the words of `define` (may be empty) are defined in both. Throws
  // Error if they are missing or do not compile.
  Shader(const std::filesystem::path& folder, const std::string& name, const std::string& define);
  ~Shader();
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  // Returns true if a file's time has changed since the last check; checks at most twice a second.
  [[nodiscard]] bool files_changed();
  // Reads the files again. Returns the reason why the last valid program stays in use; empty if the new one is in use.
  [[nodiscard]] std::string reload();

  void use() const;
  [[nodiscard]] int uniform(const char* name) const;  // -1 if the shader does not use it

 private:
  using Times = std::array<std::filesystem::file_time_type, 2>;
  [[nodiscard]] Times times() const;

  std::array<std::filesystem::path, 2> files_;
  std::string define_;
  unsigned int program_ = 0;
  Times seen_;
  std::int64_t looked_ns_ = 0;
};

// Colour map as a one-row texture for a shader: fine enough for nearest-entry lookup. UI thread only.

// Even: no entry at the centre, where two colours can meet. More than 8 bits can resolve.
inline constexpr int kColorEntries = 1024;

// Fills `texture`, a GL_TEXTURE_2D without storage. `color`: colour of a position from 0 to 1.
template <class ColorAt>
void make_color_table(unsigned int texture, const ColorAt& color) {
  std::array<std::uint8_t, 4 * kColorEntries> table;
  for (std::size_t k = 0; k < kColorEntries; ++k) {
    const Rgb c = color(static_cast<double>(k) / (kColorEntries - 1));
    table[4 * k] = c.r;
    table[4 * k + 1] = c.g;
    table[4 * k + 2] = c.b;
    table[4 * k + 3] = 255;
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureStorage2D(texture, 1, GL_RGBA8, kColorEntries, 1);
  glTextureSubImage2D(texture, 0, 0, 0, kColorEntries, 1, GL_RGBA, GL_UNSIGNED_BYTE, table.data());
  glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

// Rectangle of a framebuffer drawn by a shader that makes its corners from clip_rect. UI thread only.

// Sets left, top, right and bottom of `r` in clip coordinates, for the shader in use. Pixels from the framebuffer's top
// left.
inline void set_clip_rect(int uniform, const Rect& r, int width, int height) {
  const auto x = [width](float v) { return 2.0F * v / static_cast<float>(width) - 1.0F; };
  const auto y = [height](float v) { return 1.0F - 2.0F * v / static_cast<float>(height); };
  glUniform4f(uniform, x(r.x0), y(r.y0), x(r.x1), y(r.y1));
}

// Draws with the shader and the textures in use; nothing outside `clip`. `vertices`: an empty vertex array.
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

// Owners of 2D OpenGL textures, uploaded when their content changes. UI thread only.

class Texture2d {
 public:
  Texture2d() = default;
  ~Texture2d() { release(); }
  Texture2d(const Texture2d&) = delete;
  Texture2d& operator=(const Texture2d&) = delete;

  [[nodiscard]] bool fits(int width, int height) const { return texture_ != 0 && width == width_ && height == height_; }

  // Makes a new texture, as immutable storage cannot be resized. `magnified`: the magnification filter.
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

  [[nodiscard]] unsigned int id() const { return texture_; }  // 0: none yet
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  unsigned int texture_ = 0;
  int width_ = 0;
  int height_ = 0;
};

// Small colour image for ImGui to draw.
class ColorTexture {
 public:
  // Uploads rgba: [height][width], byte order of IM_COL32. Magnified pixels stay squares.
  void update(int width, int height, std::span<const std::uint32_t> rgba) {
    upload(width, height, GL_RGBA, rgba.data());
  }
  void update(const RgbImage& image) { upload(image.width, image.height, GL_RGB, image.rgb.data()); }
  [[nodiscard]] unsigned int id() const { return texture_.id(); }  // 0: none yet

 private:
  void upload(int width, int height, unsigned int format, const void* pixels) {
    if (!texture_.fits(width, height)) texture_.allocate(width, height, GL_RGBA8, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, format == GL_RGB ? 1 : 4);
    glTextureSubImage2D(texture_.id(), 0, 0, 0, width, height, format, GL_UNSIGNED_BYTE, pixels);
  }

  Texture2d texture_;
};

// Framebuffer that keeps its content between frames, unlike that of the surface. Only for software rendering, where
// redrawing the columns for every image would cost more time than the image. UI thread only.

class CachedFramebuffer {
 public:
  CachedFramebuffer() = default;
  ~CachedFramebuffer() { release(); }
  CachedFramebuffer(const CachedFramebuffer&) = delete;
  CachedFramebuffer& operator=(const CachedFramebuffer&) = delete;

  // Returns true if the size changed, which discards the content.
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
