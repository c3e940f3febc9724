#include "gui/flow_picture.h"

#include <glad/gl.h>

#include "core/units.h"

namespace echoloop {

void FlowPicture::take(UiState& state, const Image& shown) {
  shown_ = state.flow.image = nullptr;
  state.flow.age_s = 0.0;
  if (box_ == nullptr) return;
  if (state.params.flow == FlowMode::off || state.run == RunState::frozen) {
    from_ns_ = now_ns();
    return release();
  }
  const bool fresh = box_->take();
  const FlowImage& flow = box_->front();
  if (!belongs(flow, state, shown)) return;
  if (fresh || flow.number != uploaded_ || texture_ == 0) upload(flow);
  shown_ = state.flow.image = &flow;
  state.flow.age_s = static_cast<double>(now_ns() - flow.stamp.acquired_ns) * 1e-9;
}

// A mode that was chosen just now waits for a picture of its own; power and velocity come together.
bool FlowPicture::belongs(const FlowImage& flow, const UiState& state, const Image& shown) const {
  if (flow.number == 0 || shown.number == 0 || flow.ready_ns < from_ns_) return false;
  if (flow.acquisition != shown.acquisition) return false;
  const bool low_rank = flow.params.flow == FlowMode::low_rank;
  if (low_rank != (state.params.flow == FlowMode::low_rank)) return false;
  return (low_rank ? flow.low_rank_db : flow.power_db).size() == flow.grid.pixels();
}

void FlowPicture::upload(const FlowImage& flow) {
  const bool low_rank = flow.params.flow == FlowMode::low_rank;
  const int channels = low_rank ? 1 : 2;
  if (texture_ == 0 || channels != channels_ || flow.grid.nx != width_ || flow.grid.nz != height_) {
    glDeleteTextures(1, &texture_);
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, low_rank ? GL_R32F : GL_RG32F, flow.grid.nx, flow.grid.nz);
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
    values_.resize(2 * flow.grid.pixels());
    for (std::size_t i = 0; i < flow.grid.pixels(); ++i) {
      values_[2 * i] = flow.power_db[i];
      values_[2 * i + 1] = share * flow.velocity_m_s[i];
    }
    values = values_.data();
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureSubImage2D(texture_, 0, 0, 0, width_, height_, low_rank ? GL_RED : GL_RG, GL_FLOAT, values);
  uploaded_ = flow.number;
}

void FlowPicture::release() {
  if (texture_ == 0) return;
  glDeleteTextures(1, &texture_);
  texture_ = 0;
  values_ = {};
}

}  // namespace echoloop
