#include "gui/toolkit/image_painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>

#include "gui/gl/color_table.h"
#include "gui/gl/quad.h"

namespace echoloop {

ImagePainter::ImagePainter(const std::filesystem::path& shader_dir)
    : general_(shader_dir, ""),
      plain_(shader_dir, "PLAIN"),
      general_polar_(shader_dir, "POLAR"),
      plain_polar_(shader_dir, "POLAR PLAIN") {
  glCreateVertexArrays(1, &vertices_);
  glCreateTextures(GL_TEXTURE_2D, 4, maps_);
  for (int i = 0; i < 4; ++i) {
    make_color_table(maps_[i], [i](double t) { return map_color(static_cast<ColorMap>(i), t); });
  }
}

ImagePainter::~ImagePainter() {
  glDeleteTextures(1, &level_map_);
  glDeleteTextures(4, maps_);
  glDeleteVertexArrays(1, &vertices_);
}

void ImagePainter::Variant::find() {
  clip_rect = shader.uniform("clip_rect");
  part = shader.uniform("part");
  grid_size = shader.uniform("grid_size");
  image = shader.uniform("image_db");
  map = shader.uniform("color_map");
  gain = shader.uniform("gain_db");
  range = shader.uniform("dynamic_range_db");
  gamma = shader.uniform("gamma");
  ramp = shader.uniform("gray_ramp");
  tgc = shader.uniform("tgc_db");
  reject = shader.uniform("reject_db");
  box = shader.uniform("box");
  sector = shader.uniform("sector");
  level_map = shader.uniform("level_map");
  level_nodes = shader.uniform("level_nodes");
}

bool ImagePainter::reload_if_changed(std::string& report) {
  if (!general_.shader.files_changed()) return false;  // the files of all variants
  report = "Shader \"image\" reloaded.";
  for (Variant* variant : {&general_, &plain_, &general_polar_, &plain_polar_}) {
    if (const std::string fault = variant->shader.reload(); !fault.empty()) report = fault;
    variant->find();
  }
  return true;
}

void ImagePainter::set_grid(const Variant& v, const Grid& grid) {
  const auto f = [](double value) { return static_cast<float>(value); };
  const Sector& s = grid.sector;
  glUniform2f(v.grid_size, static_cast<float>(grid.nx), static_cast<float>(grid.nz));
  glUniform4f(v.box, f(grid.x0_m), f(grid.z0_m - s.apex_z_m), f(grid.x1_m), f(grid.z1_m - s.apex_z_m));
  glUniform4f(v.sector, f(s.angle0_rad), f(s.angle1_rad), f(s.r0_m), f(s.r1_m));
}

void ImagePainter::set_levels(const Variant& v, const MatchedLevels* matched) {
  const bool mapped = matched != nullptr && matched->number != 0;
  glUniform1i(v.level_map, 2);
  glUniform2f(v.level_nodes, static_cast<float>(LevelMap::kFirst_db + 0.5 * LevelMap::kStep_db),
              mapped ? static_cast<float>(1.0 / LevelMap::kStep_db) : 0.0F);
  if (!mapped) return;
  const auto n = static_cast<int>(matched->map.to_db.size());
  if (level_map_ == 0) {
    glCreateTextures(GL_TEXTURE_2D, 1, &level_map_);
    glTextureStorage2D(level_map_, 1, GL_R32F, n, 1);
  }
  if (in_level_map_ != matched->number) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTextureSubImage2D(level_map_, 0, 0, 0, n, 1, GL_RED, GL_FLOAT, matched->map.to_db.data());
    in_level_map_ = matched->number;
  }
  glBindTextureUnit(2, level_map_);
}

void ImagePainter::draw(const PaintJob& job, int width, int height) {
  const DisplayParams& display = job.display;
  const Rect& where = job.where;
  const bool inverted = display.color_map == ColorMap::inverted;
  const bool gray = display.color_map == ColorMap::gray || inverted;
  const auto tgc = display.tgc_db;
  const bool rejects = display.reject_db > kNoReject_db;
  const bool mapped = job.matched != nullptr && job.matched->number != 0;
  const bool plain = gray && display.gamma == 1.0 && is_flat(tgc) && !rejects && !mapped;
  const Variant& v = job.grid.polar() ? (plain ? plain_polar_ : general_polar_) : (plain ? plain_ : general_);
  v.shader.use();  // a uniform that the variant lacks has location -1, which OpenGL ignores
  // Only the part that is seen: of an image much larger than the window the rest would cost the corners' accuracy.
  const Rect seen = where.common(job.clip);
  const auto share = [](float at, float from, float length) { return length > 0 ? (at - from) / length : 0.0F; };
  set_clip_rect(v.clip_rect, seen, width, height);
  glUniform4f(v.part, share(seen.x0, where.x0, where.width()), share(seen.y0, where.y0, where.height()),
              share(seen.x1, where.x0, where.width()), share(seen.y1, where.y0, where.height()));
  set_grid(v, job.grid);
  glUniform1i(v.image, 0);
  glUniform1i(v.map, 1);
  glUniform1f(v.gain, static_cast<float>(display.gain_db));
  glUniform1f(v.range, static_cast<float>(display.dynamic_range_db));
  glUniform1f(v.gamma, static_cast<float>(display.gamma));
  std::array<float, kTgcSteps> gains{};
  std::transform(tgc.begin(), tgc.end(), gains.begin(), [](double g) { return static_cast<float>(g); });
  glUniform1fv(v.tgc, kTgcSteps, gains.data());
  glUniform1f(v.reject, rejects ? static_cast<float>(display.reject_db) : -1e30F);
  set_levels(v, job.matched);
  glUniform2f(v.ramp, inverted ? 1.0F : 0.0F, inverted ? -1.0F : 1.0F);
  glBindTextureUnit(0, job.texture);
  glBindTextureUnit(1, maps_[static_cast<int>(display.color_map)]);
  if (job.grid.polar()) {
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
  } else {
    glDisable(GL_BLEND);
  }
  draw_quad(vertices_, job.clip, height);
}

}  // namespace echoloop
