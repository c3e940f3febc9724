#include "gui/toolkit/image_painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>

#include "core/results/image.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/gl/shader.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/image_scales.h"

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
  glDeleteTextures(1, &curve_texture_);
  glDeleteTextures(4, maps_);
  glDeleteVertexArrays(1, &vertices_);
}

void ImagePainter::Variant::find() {
  clip_rect = shader.uniform("clip_rect");
  part = shader.uniform("part");
  grid_size = shader.uniform("grid_size");
  image = shader.uniform("image_db");
  map = shader.uniform("color_map");
  window = shader.uniform("window_db");
  curve = shader.uniform("transfer_curve");
  ramp = shader.uniform("gray_ramp");
  tgc = shader.uniform("tgc_db");
  box = shader.uniform("box");
  sector = shader.uniform("sector");
  level_map = shader.uniform("level_map");
  level_nodes = shader.uniform("level_nodes");
}

bool ImagePainter::reload_if_changed(std::string& report) {
  if (!general_.shader.files_changed()) return false;  // files common to all variants
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

// Renews the table of the transfer after a change of the display.
void ImagePainter::fit_curve(const DisplayParams& display) {
  if (curve_of_ == display) return;
  curve_ = transfer_curve(display);
  curve_of_ = display;
  const auto n = static_cast<int>(curve_.t.size());
  if (curve_texture_ == 0) {
    glCreateTextures(GL_TEXTURE_2D, 1, &curve_texture_);
    glTextureStorage2D(curve_texture_, 1, GL_R32F, n, 1);
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureSubImage2D(curve_texture_, 0, 0, 0, n, 1, GL_RED, GL_FLOAT, curve_.t.data());
}

void ImagePainter::draw(const PaintJob& job, int width, int height) {
  const DisplayParams& display = job.display;
  const Rect& where = job.where;
  const bool inverted = display.color_map == ColorMap::inverted;
  const bool gray = display.color_map == ColorMap::gray || inverted;
  const auto tgc = display.tgc_db;
  const bool mapped = job.matched != nullptr && job.matched->number != 0;
  fit_curve(display);
  const bool plain = gray && curve_.straight && is_flat(tgc) && !mapped;
  const Variant& v = job.grid.polar() ? (plain ? plain_polar_ : general_polar_) : (plain ? plain_ : general_);
  v.shader.use();  // a uniform that the variant lacks has location -1, which OpenGL ignores
  // Draws only the visible part: the rest of an image much larger than the window would reduce the corners' accuracy.
  const Rect seen = where.common(job.clip);
  const auto share = [](float at, float from, float length) { return length > 0 ? (at - from) / length : 0.0F; };
  const auto across = [&](float x) {
    const float from_left = share(x, where.x0, where.width());
    return job.mirrored == Mirrored::on ? 1.0F - from_left : from_left;
  };
  set_clip_rect(v.clip_rect, seen, width, height);
  glUniform4f(v.part, across(seen.x0), share(seen.y0, where.y0, where.height()), across(seen.x1),
              share(seen.y1, where.y0, where.height()));
  set_grid(v, job.grid);
  glUniform1i(v.image, 0);
  glUniform1i(v.map, 1);
  glUniform1i(v.curve, 3);
  glUniform2f(v.window, static_cast<float>(curve_.first_db), static_cast<float>(curve_.span_db));
  std::array<float, kTgcSteps> gains{};
  std::transform(tgc.begin(), tgc.end(), gains.begin(), [](double g) { return static_cast<float>(g); });
  glUniform1fv(v.tgc, kTgcSteps, gains.data());
  set_levels(v, job.matched);
  glUniform2f(v.ramp, inverted ? 1.0F : 0.0F, inverted ? -1.0F : 1.0F);
  glBindTextureUnit(0, job.texture);
  glBindTextureUnit(1, maps_[static_cast<int>(display.color_map)]);
  glBindTextureUnit(3, curve_texture_);
  if (job.grid.polar()) {
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
  } else {
    glDisable(GL_BLEND);
  }
  draw_quad(vertices_, job.clip, height);
}

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
    const auto from_left = static_cast<double>((x - job.where.x0) / job.where.width());
    return narrow(g.x0_m + (g.x1_m - g.x0_m) * (job.mirrored == Mirrored::on ? 1.0 - from_left : from_left));
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
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
  draw_quad(vertices_, job.clip, height);
  glDisable(GL_BLEND);
}

void FlowTexture::take(Model& model, const Edits& edits, const Image& shown) {
  shown_.reset();
  model.analyses.of<FlowView>().image.reset();
  model.analyses.of<FlowView>().age_s = 0.0;
  const bool frozen = model.run == RunState::frozen;
  Box& seen = frozen ? past_ : live_;
  const bool off = edits.params.color_flow.mode == FlowMode::off;
  (frozen ? live_ : past_).from_ns = now_ns();
  if (off) seen.from_ns = now_ns();
  if (seen.box == nullptr || off) return release();
  const bool fresh = seen.box->take();
  const FlowImage& flow = seen.box->front();
  if (flow.ready_ns < seen.from_ns || !belongs(flow, model, edits, shown)) return;
  const bool same = uploaded_ != nullptr && flow.number == uploaded_->number && flow.ready_ns == uploaded_->ready_ns;
  if (fresh || !same || texture_ == 0) upload(flow);
  shown_ = model.analyses.of<FlowView>().image = uploaded_;
  // Age relative to the image if stopped; latency by the host's clock if live.
  model.analyses.of<FlowView>().age_s = image_rests(model)
                                            ? stream_time_s(shown) - stream_time_s(flow.stamp, flow.acquisition)
                                            : static_cast<double>(now_ns() - flow.stamp.acquired_ns) * 1e-9;
}

// Returns true if `flow` fits `shown` and the mode: a new mode waits for its own image; power and velocity share one.
bool FlowTexture::belongs(const FlowImage& flow, const Model& model, const Edits& edits, const Image& shown) {
  if (flow.number == 0 || shown.number == 0 || flow.acquisition != shown.acquisition) return false;
  if (model.run == RunState::frozen) {
    if (!model.kept.why_no_flow.empty() || is_before(shown.stamp.sequence, flow.stamp.sequence)) return false;
    const std::uint64_t before = shown.stamp.sequence - flow.stamp.sequence;
    if (before >= (edits.cine.playing ? static_cast<std::uint64_t>(flow.frames) : 1)) return false;
  }
  const bool low_rank = flow.params.color_flow.mode == FlowMode::low_rank;
  if (low_rank != (edits.params.color_flow.mode == FlowMode::low_rank)) return false;
  return (low_rank ? flow.low_rank_db : flow.power_db).size() == flow.grid.pixels();
}

void FlowTexture::upload(const FlowImage& flow) {
  const bool low_rank = flow.params.color_flow.mode == FlowMode::low_rank;
  const int channels = low_rank ? 1 : 3;
  if (texture_ == 0 || channels != channels_ || flow.grid.nx != width_ || flow.grid.nz != height_) {
    glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, low_rank ? GL_R32F : GL_RGB32F, flow.grid.nx, flow.grid.nz);
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
      glTextureParameteri(texture_, filter, low_rank ? GL_LINEAR : GL_NEAREST);
    }
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
      glTextureParameteri(texture_, wrap, GL_CLAMP_TO_EDGE);
    }
    channels_ = channels;
    width_ = flow.grid.nx;
    height_ = flow.grid.nz;
  }
  const float* values = flow.low_rank_db.data();
  if (!low_rank) {
    const float share = flow.aliasing_m_s > 0.0 ? static_cast<float>(1.0 / flow.aliasing_m_s) : 0.0F;
    values_.resize(3 * flow.grid.pixels());
    for (std::size_t i = 0; i < flow.grid.pixels(); ++i) {
      values_[3 * i] = flow.power_db[i];
      values_[3 * i + 1] = share * flow.velocity_m_s[i];
      values_[3 * i + 2] = flow.mask_db[i];
    }
    values = values_.data();
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureSubImage2D(texture_, 0, 0, 0, width_, height_, low_rank ? GL_RED : GL_RGB, GL_FLOAT, values);
  uploaded_ = std::make_shared<FlowImage>(flow);
}

void FlowTexture::release() {
  if (texture_ == 0) return;
  glDeleteTextures(1, &texture_);
  texture_ = 0;
  values_ = {};
}

}  // namespace echoloop
