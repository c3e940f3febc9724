#include "gui/toolkit/flow_painter.h"

#include <glad/gl.h>

#include "gui/gl/color_table.h"
#include "gui/gl/quad.h"
#include "gui/overlay/flow_scale.h"

namespace echoloop {
namespace {

float narrow(double value) { return static_cast<float>(value); }

}  // namespace

FlowPainter::FlowPainter(const std::filesystem::path& shader_dir) : shader_(shader_dir, "flow", "") {
  glCreateVertexArrays(1, &vertices_);
  glCreateTextures(GL_TEXTURE_2D, 2, maps_);
  make_color_table(maps_[0], flow_power_color);
  make_color_table(maps_[1], [](double t) { return flow_velocity_color(2.0 * t - 1.0); });
  find();
}

FlowPainter::~FlowPainter() {
  glDeleteTextures(2, maps_);
  glDeleteVertexArrays(1, &vertices_);
}

void FlowPainter::find() {
  clip_rect_ = shader_.uniform("clip_rect");
  plane_ = shader_.uniform("plane");
  flow_ = shader_.uniform("flow");
  picture_ = shader_.uniform("image_db");
  map_ = shader_.uniform("color_map");
  velocity_ = shader_.uniform("shows_velocity");
  threshold_ = shader_.uniform("threshold_db");
  priority_ = shader_.uniform("priority_db");
  power_range_ = shader_.uniform("power_range_db");
  const auto place = [this](const std::string& name) {
    return Place{shader_.uniform((name + "_size").c_str()), shader_.uniform((name + "_box").c_str()),
                 shader_.uniform((name + "_sector").c_str()), shader_.uniform((name + "_apex").c_str())};
  };
  flow_place_ = place("flow");
  picture_place_ = place("image");
}

bool FlowPainter::reload_if_changed(std::string& report) {
  if (!shader_.files_changed()) return false;
  const std::string fault = shader_.reload();
  report = fault.empty() ? "Shader \"flow\" reloaded." : fault;
  find();
  return true;
}

void FlowPainter::set_grid(const Place& place, const Grid& grid) {
  const Sector& s = grid.sector;
  glUniform2f(place.size, static_cast<float>(grid.nx), static_cast<float>(grid.nz));
  glUniform4f(place.box, narrow(grid.x0_m), narrow(grid.z0_m), narrow(grid.x1_m), narrow(grid.z1_m));
  glUniform4f(place.sector, narrow(s.angle0_rad), narrow(s.r0_m), narrow(s.angle1_rad), narrow(s.r1_m));
  glUniform2f(place.apex, grid.polar() ? 1.0F : 0.0F, narrow(s.apex_z_m));
}

void FlowPainter::draw(const FlowJob& job, int width, int height) {
  const Rect seen = job.where.common(job.clip);
  if (seen.width() <= 0 || seen.height() <= 0) return;
  const Grid& g = job.picture_grid;
  const auto x_m = [&](float x) {
    return narrow(g.x0_m + (g.x1_m - g.x0_m) * static_cast<double>((x - job.where.x0) / job.where.width()));
  };
  const auto z_m = [&](float y) {
    return narrow(g.z0_m + (g.z1_m - g.z0_m) * static_cast<double>((y - job.where.y0) / job.where.height()));
  };
  const bool velocity = job.params.color_flow.mode == FlowMode::velocity;
  shader_.use();
  set_clip_rect(clip_rect_, seen, width, height);
  glUniform4f(plane_, x_m(seen.x0), z_m(seen.y0), x_m(seen.x1), z_m(seen.y1));
  set_grid(flow_place_, job.flow_grid);
  set_grid(picture_place_, g);
  glUniform1i(flow_, 0);
  glUniform1i(picture_, 1);
  glUniform1i(map_, 2);
  glUniform1i(velocity_, velocity ? 1 : 0);
  glUniform1f(threshold_, narrow(job.params.color_flow.threshold_db));
  glUniform1f(priority_, narrow(job.params.color_flow.priority_db));
  glUniform1f(power_range_, narrow(kFlowPowerRange_db));
  glBindTextureUnit(0, job.flow_texture);
  glBindTextureUnit(1, job.picture_texture);
  glBindTextureUnit(2, maps_[velocity ? 1 : 0]);
  glDisable(GL_BLEND);
  draw_quad(vertices_, job.clip, height);
}

}  // namespace echoloop
