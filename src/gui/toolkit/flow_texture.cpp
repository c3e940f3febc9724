#include "gui/toolkit/flow_texture.h"

#include <glad/gl.h>

#include "core/results/frame_time.h"
#include "core/sequence.h"
#include "core/units.h"

namespace echoloop {

void FlowTexture::take(UiState& state, const Image& shown) {
  shown_ = state.analyses.flow.image = nullptr;
  state.analyses.flow.age_s = 0.0;
  const bool frozen = state.run == RunState::frozen;
  Box& seen = frozen ? past_ : live_;
  const bool off = state.params.color_flow.mode == FlowMode::off;
  (frozen ? live_ : past_).from_ns = now_ns();
  if (off) seen.from_ns = now_ns();
  if (seen.box == nullptr || off) return release();
  const bool fresh = seen.box->take();
  const FlowImage& flow = seen.box->front();
  if (flow.ready_ns < seen.from_ns || !belongs(flow, state, shown)) return;
  if (fresh || &flow != uploaded_ || flow.number != uploaded_number_ || texture_ == 0) upload(flow);
  shown_ = state.analyses.flow.image = &flow;
  // Stopped, how much older than the image it is; live its latency, by the host's clock.
  state.analyses.flow.age_s = image_rests(state) ? stream_time_s(shown) - stream_time_s(flow.stamp, flow.acquisition)
                                                 : static_cast<double>(now_ns() - flow.stamp.acquired_ns) * 1e-9;
}

// A mode that was chosen just now waits for an image of its own; power and velocity come together.
bool FlowTexture::belongs(const FlowImage& flow, const UiState& state, const Image& shown) {
  if (flow.number == 0 || shown.number == 0 || flow.acquisition != shown.acquisition) return false;
  if (state.run == RunState::frozen) {
    if (!state.cine.why_no_flow.empty() || is_before(shown.stamp.sequence, flow.stamp.sequence)) return false;
    const std::uint64_t before = shown.stamp.sequence - flow.stamp.sequence;
    if (before >= (state.cine.playing ? static_cast<std::uint64_t>(flow.frames) : 1)) return false;
  }
  const bool low_rank = flow.params.color_flow.mode == FlowMode::low_rank;
  if (low_rank != (state.params.color_flow.mode == FlowMode::low_rank)) return false;
  return (low_rank ? flow.low_rank_db : flow.power_db).size() == flow.grid.pixels();
}

void FlowTexture::upload(const FlowImage& flow) {
  const bool low_rank = flow.params.color_flow.mode == FlowMode::low_rank;
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
  uploaded_ = &flow;
  uploaded_number_ = flow.number;
}

void FlowTexture::release() {
  if (texture_ == 0) return;
  glDeleteTextures(1, &texture_);
  texture_ = 0;
  values_ = {};
}

}  // namespace echoloop
