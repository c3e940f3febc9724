#include "gui/gl/pixel_probe.h"

#include <glad/gl.h>

#include <limits>

#include "core/units.h"

namespace echoloop {

PixelProbe::~PixelProbe() {
  if (fence_ != nullptr) glDeleteSync(static_cast<GLsync>(fence_));
  if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
}

void PixelProbe::collect() {
  if (fence_ == nullptr) return;
  const GLenum state = glClientWaitSync(static_cast<GLsync>(fence_), 0, 0);
  if (state != GL_ALREADY_SIGNALED && state != GL_CONDITION_SATISFIED) return;
  glDeleteSync(static_cast<GLsync>(fence_));
  fence_ = nullptr;
  glGetNamedBufferSubData(buffer_, 0, sizeof value_, &value_);
  known_ = true;
}

float PixelProbe::ask(unsigned int texture, int ix, int iz) {
  constexpr std::int64_t kForget_ns = 200'000'000;  // the pointer was away: what it saw last says nothing
  const std::int64_t now = now_ns();
  collect();
  if (now - asked_ns_ > kForget_ns) known_ = false;
  asked_ns_ = now;
  if (fence_ == nullptr) {
    if (buffer_ == 0) {
      glCreateBuffers(1, &buffer_);
      glNamedBufferStorage(buffer_, sizeof value_, nullptr, GL_CLIENT_STORAGE_BIT);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer_);
    glGetTextureSubImage(texture, 0, ix, iz, 0, 1, 1, 1, GL_RED, GL_FLOAT, sizeof value_, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  }
  return known_ ? value_ : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace echoloop
