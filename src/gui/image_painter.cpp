#include "gui/image_painter.h"

#include <glad/gl.h>

#include "gui/tone.h"

namespace echoloop {

ImagePainter::ImagePainter(const std::filesystem::path& shader_dir) : shader_(shader_dir, "image") {
  find_uniforms();
  glCreateVertexArrays(1, &vertices_);
  glCreateTextures(GL_TEXTURE_2D, 4, maps_);
  for (int i = 0; i < 4; ++i) {
    const MapTable& table = map_table(static_cast<ColorMap>(i));
    glTextureStorage2D(maps_[i], 1, GL_RGB8, kMapEntries, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(maps_[i], 0, 0, 0, kMapEntries, 1, GL_RGB, GL_UNSIGNED_BYTE, table.data());
    glTextureParameteri(maps_[i], GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(maps_[i], GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(maps_[i], GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(maps_[i], GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
}

ImagePainter::~ImagePainter() {
  glDeleteTextures(4, maps_);
  glDeleteVertexArrays(1, &vertices_);
}

void ImagePainter::find_uniforms() {
  clip_rect_ = shader_.uniform("clip_rect");
  grid_size_ = shader_.uniform("grid_size");
  image_ = shader_.uniform("image_db");
  map_ = shader_.uniform("color_map");
  gain_ = shader_.uniform("gain_db");
  range_ = shader_.uniform("dynamic_range_db");
  gamma_ = shader_.uniform("gamma");
}

bool ImagePainter::reload_if_changed(std::string& report) {
  if (!shader_.reload_if_changed(report)) return false;
  find_uniforms();
  return true;
}

void ImagePainter::draw(unsigned int texture, const Grid& grid, const ImagingParams& display, const Rect& where,
                        int width, int height) {
  const auto clip_x = [width](float x) { return 2.0F * x / static_cast<float>(width) - 1.0F; };
  const auto clip_y = [height](float y) { return 1.0F - 2.0F * y / static_cast<float>(height); };
  shader_.use();
  glUniform4f(clip_rect_, clip_x(where.x0), clip_y(where.y0), clip_x(where.x1), clip_y(where.y1));
  glUniform2f(grid_size_, static_cast<float>(grid.nx), static_cast<float>(grid.nz));
  glUniform1i(image_, 0);
  glUniform1i(map_, 1);
  glUniform1f(gain_, static_cast<float>(display.gain_db));
  glUniform1f(range_, static_cast<float>(display.dynamic_range_db));
  glUniform1f(gamma_, static_cast<float>(display.gamma));
  glBindTextureUnit(0, texture);
  glBindTextureUnit(1, maps_[static_cast<int>(display.color_map)]);
  glBindVertexArray(vertices_);
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glBindVertexArray(0);
  glUseProgram(0);
}

}  // namespace echoloop
