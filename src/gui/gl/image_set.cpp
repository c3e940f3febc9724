#include "gui/gl/image_set.h"

#include <glad/gl.h>

#include <limits>
#include <utility>

#include "core/units.h"
#include "gui/gl/shader.h"

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
  constexpr std::int64_t kForget_ns = 200'000'000;  // after a longer pause the last value is obsolete
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

ImageSet::ImageSet(Way way, LiveImages& live, PastImages* past)
    : live_coarse_(&live.coarse), host_only_(way == Way::host) {
  live_.box = &live.images;
  if (past != nullptr) {
    past_.box = &(*past)[0];
    compared_.box = &(*past)[1];
    past_coarse_ = &past->coarse;
  }
  std::string why_not;
  if (!host_only_) live_.texture = make_cuda_texture(why_not);
  host_only_ = live_.texture == nullptr;
  if (host_only_) {
    live_.texture = make_host_texture();
    status_ = "Images go through host memory (no CUDA-OpenGL interop)" + (why_not.empty() ? "" : ": " + why_not);
  } else {
    status_ = "Images stay on the GPU (CUDA-OpenGL interop)";
  }
}

ImageSet::~ImageSet() { forget(); }

std::unique_ptr<FrameTexture> ImageSet::make_texture() {
  std::string why_not;
  std::unique_ptr<FrameTexture> texture = host_only_ ? nullptr : make_cuda_texture(why_not);
  return texture != nullptr ? std::move(texture) : make_host_texture();
}

bool ImageSet::take(ImageOrigin source) {
  times_ = {};
  for (TexturedImage* textured : {&live_, &compared_, &past_, &coarse_})
    measure(*textured);  // before a new copy replaces it
  bool fresh = false;
  comparing_ = comparing_ && source == ImageOrigin::compared_past;
  if (source == ImageOrigin::live) {
    release(past_);
    fresh = take(live_);
    if (fresh) current_ = &live_;
  } else if (take(past_)) {
    fresh = true;
    current_ = &past_;
  }
  coarse_.box = source == ImageOrigin::live ? live_coarse_ : past_coarse_;
  if (source != ImageOrigin::compared_past && take(coarse_) && coarse_.image.ready_ns > current_->image.ready_ns) {
    fresh = true;
    current_ = &coarse_;
  }
  if (source != ImageOrigin::compared_past) {
    release(compared_);
  } else if (take(compared_)) {
    fresh = comparing_ = true;
  }
  for (TexturedImage* textured : {&live_, &compared_, &past_, &coarse_}) measure(*textured);
  return fresh;
}

bool ImageSet::take(TexturedImage& textured) {
  if (textured.box == nullptr) return false;
  // The copy was queued a window frame ago; while it is running, the new image is left for the next frame.
  if (textured.texture != nullptr && textured.texture->reading()) return false;
  if (!textured.box->take()) return false;
  const Image& image = textured.box->front();
  textured.image.host_db = nullptr;  // returns the old image's memory to the pipeline
  if (image.number == 0 || image.grid.nx < 1) return false;
  const std::int64_t before_ns = now_ns();
  if (!put(textured, image)) return false;
  times_.texture_ns += now_ns() - before_ns;
  textured.image = image;
  textured.image.storage.reset();
  textured.copied_sequence = image.stamp.sequence;
  return true;
}

void ImageSet::release(TexturedImage& textured) {
  if (textured.box == nullptr || (textured.texture != nullptr && textured.texture->reading())) return;
  if (textured.box->take()) textured.image.host_db = nullptr;
}

bool ImageSet::put(TexturedImage& textured, const Image& image) {
  if (textured.texture == nullptr) textured.texture = make_texture();
  if (textured.texture->update(image)) return true;
  if (textured.texture->needs_host_image()) return false;
  textured.texture = make_host_texture();
  textured.image = {};  // was in the replaced texture
  host_only_ = true;
  status_ = "CUDA-OpenGL interop failed: images now go through host memory";
  return textured.texture->update(image);
}

void ImageSet::measure(TexturedImage& textured) {
  if (textured.texture == nullptr) return;
  times_.device_wait_ns += textured.texture->take_wait_ns();
  const std::optional<TextureCopy> copy = textured.texture->take_copy();
  if (!copy) return;
  times_.start_ns = copy->start_ns;
  times_.end_ns = copy->end_ns;
  times_.sequence = textured.copied_sequence;
}

float ImageSet::level_db(const Image& image, int ix, int iz) {
  if (image.number == 0) return std::numeric_limits<float>::quiet_NaN();
  if (image.host_db != nullptr) {
    return image
        .host_db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(image.grid.nx) + static_cast<std::size_t>(ix)];
  }
  const bool of_a = &image == &compared_.image;
  return (of_a ? compared_probe_ : probe_).ask(texture_of(of_a ? compared_ : *current_), ix, iz);
}

std::vector<float> ImageSet::db_of(const Image& image) const {
  if (image.number == 0) return {};
  if (image.host_db != nullptr) return {image.host().begin(), image.host().end()};
  std::vector<float> values(image.grid.pixels());
  const unsigned int texture = texture_of(&image == &compared_.image ? compared_ : *current_);
  glGetTextureImage(texture, 0, GL_RED, GL_FLOAT, static_cast<GLsizei>(values.size() * sizeof(float)), values.data());
  return values;
}

void ImageSet::forget() {
  for (TexturedImage* textured : {&live_, &past_, &compared_, &coarse_}) {
    if (textured->texture != nullptr) textured->texture->finish_reading();
    textured->image = {};
  }
  comparing_ = false;
  current_ = &live_;
}

// Copies images from host memory. OpenGL copies the values during the call, so nothing is in use afterwards. UI thread
// only.

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
