// The image from host memory. OpenGL copies the values during the call, so nothing is in use afterwards. UI thread
// only.
#include <utility>

#include "core/units.h"
#include "gui/gl/frame_texture.h"
#include "gui/gl/texture_2d.h"

namespace echoloop {
namespace {

class HostTexture final : public FrameTexture {
 public:
  bool update(const Image& image) override {
    if (image.host_db == nullptr || image.grid.nx < 1 || image.grid.nz < 1) return false;
    const std::int64_t start_ns = now_ns();
    if (!texture_.fits(image.grid.nx, image.grid.nz))
      texture_.allocate(image.grid.nx, image.grid.nz, GL_R32F, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTextureSubImage2D(texture_.id(), 0, 0, 0, image.grid.nx, image.grid.nz, GL_RED, GL_FLOAT, image.host_db);
    copy_ = TextureCopy{start_ns, now_ns()};
    return true;
  }

  bool reading() override { return false; }
  void finish_reading() override {}
  std::optional<TextureCopy> take_copy() override { return std::exchange(copy_, std::nullopt); }
  std::int64_t take_wait_ns() override { return 0; }
  [[nodiscard]] unsigned int gl_texture() const override { return texture_.id(); }
  [[nodiscard]] bool needs_host_image() const override { return true; }

 private:
  Texture2d texture_;
  std::optional<TextureCopy> copy_;
};

}  // namespace

std::unique_ptr<FrameTexture> make_host_texture() { return std::make_unique<HostTexture>(); }

}  // namespace echoloop
