// Images for the screen and their textures: the live one, and while frozen the history frame beamformed again (B) and
// the comparison (A). Reader of their mailboxes. UI thread only; never waits for the pipeline, and for the device only
// where documented.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/results/live_images.h"

namespace echoloop {

// Transfer of images to OpenGL: one R32F texture of dB values. Two makers: CUDA-GL interop and host upload. UI thread
// only (the thread that owns the OpenGL context).

// Time of an image's copy to its texture, on the clock of now_ns().
struct TextureCopy {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

class FrameTexture {
 public:
  virtual ~FrameTexture() = default;
  // Copies the image to the texture (resized when its grid changes). Returns false if this image is unsupported.
  virtual bool update(const Image& image) = 0;
  // Returns true if the last update may still read the image's memory, which must stay allocated. Never waits.
  virtual bool reading() = 0;
  // Waits until reading() is false.
  virtual void finish_reading() = 0;
  // Returns the time of the last update's copy: once per update, as soon as it is known. Never waits.
  virtual std::optional<TextureCopy> take_copy() = 0;
  // Returns the host time in calls that may wait for the device, since the previous call.
  virtual std::int64_t take_wait_ns() = 0;
  [[nodiscard]] virtual unsigned int gl_texture() const = 0;
  [[nodiscard]] virtual bool needs_host_image() const = 0;  // true: the pipeline must copy images to the host
};

std::unique_ptr<FrameTexture> make_host_texture();

// Tries interop once with the current OpenGL context; returns nullptr if not possible, and the reason in one line.
std::unique_ptr<FrameTexture> make_cuda_texture(std::string& why_not);

// Reads one texel of a texture without waiting for the device: requested in one window frame, known in a later one. An
// immediate read would block the UI thread until all work queued before is done. UI thread only.
class PixelProbe {
 public:
  PixelProbe() = default;
  ~PixelProbe();
  PixelProbe(const PixelProbe&) = delete;
  PixelProbe& operator=(const PixelProbe&) = delete;

  // Requests a texel and returns the newest value that has arrived; NaN until the first one. One caller, once a window
  // frame.
  float ask(unsigned int texture, int ix, int iz);

 private:
  void collect();

  unsigned int buffer_ = 0;
  void* fence_ = nullptr;  // a GLsync: the pending read
  float value_ = 0;
  bool known_ = false;
  std::int64_t asked_ns_ = 0;
};

enum class ImageOrigin { live, past, compared_past };

class ImageSet {
 public:
  // `past` may be null. `interop`: try CUDA-GL interop first.
  enum class Way { interop_if_possible, host };
  ImageSet(Way way, LiveImages& live, PastImages* past);
  ~ImageSet();
  ImageSet(const ImageSet&) = delete;
  ImageSet& operator=(const ImageSet&) = delete;

  // Takes new images from the mailboxes of `source`; those of other mailboxes are released, except live ones, which
  // stay there. Returns true if a new image arrived.
  bool take(ImageOrigin source);

  [[nodiscard]] const Image& shown() const { return current_->image; }  // number 0 = none
  [[nodiscard]] bool coarse() const { return current_ == &coarse_; }    // shown() is a coarse preview
  [[nodiscard]] unsigned int texture() const { return texture_of(*current_); }
  [[nodiscard]] const Image* compared() const { return comparing_ ? &compared_.image : nullptr; }  // A
  [[nodiscard]] unsigned int compared_texture() const { return texture_of(compared_); }

  // Returns the level of a pixel of shown() or compared(). Without a host copy it is known a frame or two later.
  float level_db(const Image& image, int ix, int iz);
  [[nodiscard]] std::vector<float> db_of(const Image& image) const;  // all, as [nz][nx]; may wait for the device

  // Releases all image memory; may wait for the device.
  void forget();

  [[nodiscard]] bool needs_host_image() const { return host_only_; }
  [[nodiscard]] const std::string& status() const { return status_; }

  // Times of the last take(): the copy that became known, equal times for none; the host time of the entire transfer of
  // a new image to its texture, and in calls that may wait.
  struct Times {
    std::int64_t start_ns = 0, end_ns = 0;
    std::uint64_t sequence = 0;   // sequence of the copied frame
    std::int64_t texture_ns = 0;  // 0: no new image
    std::int64_t device_wait_ns = 0;
  };
  [[nodiscard]] const Times& times() const { return times_; }

 private:
  struct TexturedImage {
    Mailbox<Image>* box = nullptr;
    std::unique_ptr<FrameTexture> texture;  // made on first use
    Image image;                            // contents of the texture; its host copy is readable until the next take
    std::uint64_t copied_sequence = 0;
  };

  static unsigned int texture_of(const TexturedImage& textured) {
    return textured.texture != nullptr ? textured.texture->gl_texture() : 0;
  }
  bool take(TexturedImage& textured);
  void release(TexturedImage& textured);
  bool put(TexturedImage& textured, const Image& image);
  void measure(TexturedImage& textured);
  std::unique_ptr<FrameTexture> make_texture();

  TexturedImage live_, past_, compared_, coarse_;
  Mailbox<Image>*live_coarse_, *past_coarse_ = nullptr;
  TexturedImage* current_ = &live_;
  bool comparing_ = false;
  bool host_only_;
  std::string status_;
  PixelProbe probe_, compared_probe_;
  Times times_;
};

}  // namespace echoloop
