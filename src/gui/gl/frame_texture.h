// The image's way into OpenGL: one R32F texture of dB values. Two makers: CUDA-GL interop and host upload.
// UI thread only (the thread that owns the OpenGL context).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/results/image.h"

namespace echoloop {

// The time in which an image went into its texture, on the clock of now_ns().
struct TextureCopy {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

class FrameTexture {
 public:
  virtual ~FrameTexture() = default;
  // Copies the image into the texture (resized when its grid changes). False: this image cannot be shown this way.
  virtual bool update(const Image& image) = 0;
  // The last update may still read the image's memory: the image must not go back to the pipeline yet. Never waits.
  virtual bool reading() = 0;
  // Returns when it no longer does; waits.
  virtual void finish_reading() = 0;
  // How long the last update's copy took: once for each update, as soon as it is known. Never waits.
  virtual std::optional<TextureCopy> take_copy() = 0;
  // Host time spent in calls that may wait for the device, since the last call of this.
  virtual std::int64_t take_wait_ns() = 0;
  [[nodiscard]] virtual unsigned int gl_texture() const = 0;
  [[nodiscard]] virtual bool needs_host_image() const = 0;  // the pipeline must copy images to the host
};

std::unique_ptr<FrameTexture> make_host_texture();

// Tries interop once with the current OpenGL context; nullptr when it is not possible, and why in one line.
std::unique_ptr<FrameTexture> make_cuda_texture(std::string& why_not);

}  // namespace echoloop
