#include "gui/m_mode.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace echoloop {
namespace {

constexpr double kHeld_s = 0.3;         // a picture stands so long in any case
constexpr double kHeldIntervals = 2.5;  // and so many of the source's own steps

// The source's own time where it is known: a recording that plays slowly moves as it did. Otherwise the wall clock.
double source_time_s(const Image& image) {
  const bool known = image.acquisition != nullptr && image.acquisition->frame_rate_hz > 0.0;
  return known ? image.stamp.time_s : static_cast<double>(image.stamp.acquired_ns) * 1e-9;
}

}  // namespace

void MModeStrip::close() {
  glDeleteTextures(1, &texture_);
  texture_ = 0;
  newest_ = -1;
  column_ = -1;
  marks_.clear();
}

void MModeStrip::begin(const Image& image, int column) {
  if (texture_ == 0 || image.grid.nz != picture_.nz) {
    glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, GL_R32F, kColumns, image.grid.nz);
    glTextureParameteri(texture_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  const float nothing = std::numeric_limits<float>::quiet_NaN();  // black in every map
  glClearTexImage(texture_, 0, GL_RED, GL_FLOAT, &nothing);
  picture_ = image.grid;
  of_ = image.acquisition;
  column_ = column;
  newest_ = 0;
  time_s_ = interval_s_ = 0.0;
  marks_.clear();
}

void MModeStrip::add(unsigned int texture, const Image& image, PlanePoint at) {
  const GridPlace place_of = image.grid.place(at.x_m, at.z_m);
  const int column = std::clamp(static_cast<int>(std::lround(place_of.column)), 0, image.grid.nx - 1);
  const double now_s = source_time_s(image);
  if (texture_ == 0 || !(image.grid == picture_) || column != column_ || image.acquisition != of_) {
    begin(image, column);
  } else {
    const double passed_s = now_s - source_s_;
    const bool held = passed_s > 0.0 && passed_s <= std::max(kHeld_s, kHeldIntervals * interval_s_);
    // A recording that begins again: one column apart.
    time_s_ += passed_s > 0.0 ? std::min(passed_s, 2.0 * kLongest_s) : 2.0 * kStep_s;
    const auto step = static_cast<std::int64_t>(time_s_ / kStep_s);
    held ? hold_until(step) : clear_until(step);
    newest_ = std::max(newest_, step);
    if (passed_s > 0.0) interval_s_ = passed_s;
  }
  source_s_ = now_s;
  glCopyImageSubData(texture, GL_TEXTURE_2D, 0, column_, 0, 0, texture_, GL_TEXTURE_2D, 0, place(newest_), 0, 0, 1,
                     picture_.nz, 1);
  marks_.push_back({image.stamp.sequence, newest_});
  std::erase_if(marks_, [this](const Mark& m) { return m.step <= newest_ - kColumns; });
}

// What the last picture showed, up to `step`, which the next one will have.
void MModeStrip::hold_until(std::int64_t step) {
  for (std::int64_t s = newest_ + 1; s < step; ++s) {
    glCopyImageSubData(texture_, GL_TEXTURE_2D, 0, place(newest_), 0, 0, texture_, GL_TEXTURE_2D, 0, place(s), 0, 0, 1,
                       picture_.nz, 1);
  }
}

void MModeStrip::clear_until(std::int64_t step) {
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t s = std::max(newest_ + 1, step - kColumns); s < step; ++s) {
    glClearTexSubImage(texture_, 0, place(s), 0, 0, 1, picture_.nz, 1, GL_RED, GL_FLOAT, &nothing);
  }
}

Grid MModeStrip::grid() const {
  return {.x0_m = 0.0, .x1_m = 1.0, .z0_m = first_m(), .z1_m = last_m(), .nx = kColumns, .nz = picture_.nz};
}

double MModeStrip::first_m() const {
  return picture_.polar() ? picture_.sector.apex_z_m + picture_.sector.r0_m : picture_.z0_m;
}
double MModeStrip::last_m() const {
  return picture_.polar() ? picture_.sector.apex_z_m + picture_.sector.r1_m : picture_.z1_m;
}

std::optional<double> MModeStrip::age_s(const FrameStamp& stamp) const {
  for (const Mark& m : marks_) {
    if (m.sequence == stamp.sequence) return static_cast<double>(newest_ - m.step) * kStep_s;
  }
  return std::nullopt;
}

std::vector<StripPiece> MModeStrip::pieces(const Rect& box, double span_s) const {
  if (empty()) return {};
  return strip_pieces(box, static_cast<double>(box.width()) / (span_s / kStep_s), newest_, kColumns);
}

}  // namespace echoloop
