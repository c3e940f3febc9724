// The picture's way into OpenGL: one R32F texture of dB values. Two makers: CUDA-GL interop and host upload.
// UI thread only (the thread that owns the OpenGL context).
#pragma once

#include <memory>
#include <string>

#include "core/image.h"

namespace echoloop {

class FrameTexture {
 public:
  virtual ~FrameTexture() = default;
  // Copies the image into the texture (resized when its grid changes). False: this image cannot be shown this way.
  virtual bool update(const Image& image) = 0;
  // Returns when the last update has read the image's memory to its end: before the image goes back to the pipeline.
  virtual void finish_reading() = 0;
  [[nodiscard]] virtual unsigned int gl_texture() const = 0;
  [[nodiscard]] virtual bool needs_host_image() const = 0;  // the pipeline must copy images to the host
};

std::unique_ptr<FrameTexture> make_host_texture();

// Tries interop once with the current OpenGL context; nullptr when it is not possible, and why in one line.
std::unique_ptr<FrameTexture> make_cuda_texture(std::string& why_not);

}  // namespace echoloop
