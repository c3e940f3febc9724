#include "gui/gl/level_reader.h"

#include <glad/gl.h>

#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::int64_t kShortest_ns = 49'000'000;  // interval between images: 20 a second at 60 window frames a second

Image without_pixels(const Image& image) {
  Image copy = image;
  copy.host_db = nullptr;
  copy.device_db = nullptr;
  copy.storage.reset();
  return copy;
}

}  // namespace

bool same_picture(const Image& a, const Image& b) {
  return a.number == b.number && a.ready_ns == b.ready_ns && a.stamp.sequence == b.stamp.sequence && a.grid == b.grid;
}

LevelReader::~LevelReader() { drop(); }

void LevelReader::drop() {
  if (fence_ != nullptr) glDeleteSync(static_cast<GLsync>(std::exchange(fence_, nullptr)));
  if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
  buffer_ = 0;
  buffer_values_ = 0;
  reading_ = {};
  picture_ = {};
  image_ = {};
  values_ = {};
  arriving_ = {};
}

bool LevelReader::is_known(const Image& shown) const {
  return (picture_.number != 0 && same_picture(shown, image_)) || (fence_ != nullptr && same_picture(shown, reading_));
}

void LevelReader::refresh(const Image& shown, unsigned int texture) {
  shows_mask_ = shown.mask != nullptr;
  if (!std::exchange(asked_, false) || shown.number == 0 || shown.grid.nx < 1) {
    if (picture_.number != 0 || buffer_ != 0) drop();
    return;
  }
  collect();
  const std::int64_t now = now_ns();
  if (is_known(shown) || now - taken_ns_ < kShortest_ns) return;
  if (shown.host_db != nullptr) {
    taken_ns_ = now;
    copy(shown);
  } else if (fence_ == nullptr && texture != 0) {
    taken_ns_ = now;
    request(shown, texture);
  }
}

void LevelReader::copy(const Image& shown) {
  arriving_.assign(shown.host().begin(), shown.host().end());
  publish(without_pixels(shown));
}

void LevelReader::request(const Image& shown, unsigned int texture) {
  const std::size_t n = shown.grid.pixels();
  const auto bytes = static_cast<GLsizei>(n * sizeof(float));
  if (buffer_values_ != n) {
    if (buffer_ != 0) glDeleteBuffers(1, &buffer_);
    glCreateBuffers(1, &buffer_);
    glNamedBufferStorage(buffer_, bytes, nullptr, GL_CLIENT_STORAGE_BIT);
    buffer_values_ = n;
  }
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer_);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glGetTextureImage(texture, 0, GL_RED, GL_FLOAT, bytes, nullptr);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  reading_ = without_pixels(shown);
}

void LevelReader::collect() {
  if (fence_ == nullptr) return;
  const GLenum state = glClientWaitSync(static_cast<GLsync>(fence_), 0, 0);
  if (state != GL_ALREADY_SIGNALED && state != GL_CONDITION_SATISFIED) return;
  glDeleteSync(static_cast<GLsync>(std::exchange(fence_, nullptr)));
  arriving_.resize(buffer_values_);
  glGetNamedBufferSubData(buffer_, 0, static_cast<GLsizeiptr>(buffer_values_ * sizeof(float)), arriving_.data());
  publish(reading_);
}

void LevelReader::publish(const Image& image) {
  std::swap(values_, arriving_);
  image_ = image;
  picture_ = {.db = values_, .grid = image.grid, .number = image.number, .time_s = image.stamp.time_s};
}

void LevelMatcher::update(LevelReader& b, LevelReader& a) {
  const LevelImage& of = b.ask();
  const LevelImage& like = a.ask();
  const auto levels = [](const LevelReader& reader) { return !shows_weight(reader.image().params.formation); };
  if (of.number == 0 || like.number == 0 || !levels(a) || !levels(b)) return stop();
  if (matched_.number != 0 && same_picture(a.image(), of_a_) && same_picture(b.image(), of_b_)) return;
  of_a_ = a.image();
  of_b_ = b.image();
  matched_.map = match_levels(of, like);
  matched_.number = matched_.map.empty() ? 0 : ++made_;
}

}  // namespace echoloop
