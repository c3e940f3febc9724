// Copies images from device memory by CUDA-GL interop: registered once per size, mapped only around the copy, on a
// stream of its own, without waiting unless the image is removed. The first call that fails ends the attempt: the
// viewer falls back to the host texture. UI thread only.
#include "gui/gl/image_set.h"

#ifdef ECHO_HAVE_CUDA

#include <glad/gl.h>
// cuda_gl_interop.h includes OpenGL's types from a system header unless one is defined; glad has declared them all.
#ifndef __gl_h_
#define __gl_h_
#endif
#ifndef GL_H
#define GL_H
#endif
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <array>
#include <utility>

#include "core/units.h"
#include "gui/gl/shader.h"

namespace echoloop {
namespace {

// Double-buffered texture: one is on screen while the other receives the next image, as mapping the one that OpenGL has
// just drawn would wait for that drawing.
class CudaTexture final : public FrameTexture {
 public:
  ~CudaTexture() override {
    // The device may already be gone at shutdown: the results of these calls are ignored.
    if (copied_ != nullptr) {
      cudaEventSynchronize(copied_);
      cudaEventDestroy(copied_);
    }
    if (began_ != nullptr) cudaEventDestroy(began_);
    for (const Side& side : sides_) {
      if (side.resource != nullptr) cudaGraphicsUnregisterResource(side.resource);
    }
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  // Requires that the CUDA device in use is the one that draws.
  bool start() {
    unsigned int count = 0;
    int drawing[8] = {};
    int current = -1;
    if (failed(cudaGLGetDevices(&count, drawing, 8, cudaGLDeviceListAll),
               "this window is not drawn by a CUDA device") ||
        failed(cudaGetDevice(&current), "no current CUDA device")) {
      return false;
    }
    bool found = false;
    for (unsigned int i = 0; i < count && i < 8; ++i) found = found || drawing[i] == current;
    if (!found) {
      why_ = "another GPU draws this window";
      return false;
    }
    // Highest priority: queued kernels of the pipeline must not delay the window's small copy.
    int least = 0;
    int greatest = 0;
    return !failed(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities") &&
           !failed(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "stream") &&
           !failed(cudaEventCreate(&began_), "event") && !failed(cudaEventCreate(&copied_), "event") &&
           resize(sides_[0], 1, 1);
  }

  bool update(const Image& image) override {
    if (image.device_db == nullptr || image.grid.nx < 1 || image.grid.nz < 1) return false;
    finish_reading();
    Side& back = sides_[1 - front_];
    if (!back.texture.fits(image.grid.nx, image.grid.nz) && !resize(back, image.grid.nx, image.grid.nz)) return false;
    start_ns_ = now_ns();
    const bool mapped = !failed(cudaGraphicsMapResources(1, &back.resource, stream_), "map");
    wait_ns_ += now_ns() - start_ns_;
    if (!mapped) return false;
    const bool copied = copy(image, back);
    const std::int64_t before_ns = now_ns();
    const bool unmapped = !failed(cudaGraphicsUnmapResources(1, &back.resource, stream_), "unmap");
    wait_ns_ += now_ns() - before_ns;
    if (!copied || !unmapped) return false;
    front_ = 1 - front_;
    return true;
  }

  bool reading() override {
    if (!reading_) return false;
    const cudaError_t state = cudaEventQuery(copied_);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();
      return true;
    }
    if (!failed(state, "the copy")) measure();
    reading_ = false;
    return false;
  }

  void finish_reading() override {
    if (!reading()) return;
    const std::int64_t before_ns = now_ns();
    if (!failed(cudaEventSynchronize(copied_), "wait for the copy")) measure();
    wait_ns_ += now_ns() - before_ns;
    reading_ = false;
  }

  std::optional<TextureCopy> take_copy() override {
    reading();
    return std::exchange(copy_, std::nullopt);
  }

  std::int64_t take_wait_ns() override { return std::exchange(wait_ns_, 0); }
  [[nodiscard]] unsigned int gl_texture() const override { return sides_[front_].texture.id(); }
  [[nodiscard]] bool needs_host_image() const override { return false; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  struct Side {
    Texture2d texture;
    cudaGraphicsResource_t resource = nullptr;
  };

  bool copy(const Image& image, const Side& to) {
    cudaArray_t array = nullptr;
    if (failed(cudaGraphicsSubResourceGetMappedArray(&array, to.resource, 0, 0), "mapped array")) return false;
    const std::size_t row = static_cast<std::size_t>(image.grid.nx) * sizeof(float);
    const auto rows = static_cast<std::size_t>(image.grid.nz);
    if (failed(cudaEventRecord(began_, stream_), "event") ||
        failed(
            cudaMemcpy2DToArrayAsync(array, 0, 0, image.device_db, row, row, rows, cudaMemcpyDeviceToDevice, stream_),
            "copy")) {
      return false;
    }
    reading_ = true;
    return !failed(cudaEventRecord(copied_, stream_), "event");
  }

  // Sets the copy's device time, starting at the host's call, the nearest known moment on the host's clock.
  void measure() {
    float ms = 0;
    if (failed(cudaEventElapsedTime(&ms, began_, copied_), "time of the copy")) return;
    copy_ = TextureCopy{start_ns_, start_ns_ + static_cast<std::int64_t>(static_cast<double>(ms) * 1e6)};
  }

  bool resize(Side& side, int width, int height) {
    finish_reading();
    const std::int64_t before_ns = now_ns();
    const bool unregistered =
        side.resource == nullptr || !failed(cudaGraphicsUnregisterResource(side.resource), "unregister");
    if (unregistered) {
      side.resource = nullptr;
      side.texture.allocate(width, height, GL_R32F, GL_LINEAR);
    }
    const bool registered =
        unregistered && !failed(cudaGraphicsGLRegisterImage(&side.resource, side.texture.id(), GL_TEXTURE_2D,
                                                            cudaGraphicsRegisterFlagsWriteDiscard),
                                "register the texture");
    wait_ns_ += now_ns() - before_ns;
    return registered;
  }

  // Clears the error as well, so that the pipeline's own calls do not report it.
  bool failed(cudaError_t result, const char* what) {
    if (result == cudaSuccess) return false;
    why_ = std::string(what) + ": " + cudaGetErrorString(result);
    cudaGetLastError();
    return true;
  }

  std::array<Side, 2> sides_;
  std::size_t front_ = 0;  // index of the one on screen
  cudaStream_t stream_ = nullptr;
  cudaEvent_t began_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  bool reading_ = false;
  std::int64_t start_ns_ = 0;
  std::int64_t wait_ns_ = 0;
  std::optional<TextureCopy> copy_;
  std::string why_;
};

}  // namespace

std::unique_ptr<FrameTexture> make_cuda_texture(std::string& why_not) {
  auto texture = std::make_unique<CudaTexture>();
  if (texture->start()) return texture;
  why_not = texture->why();
  return nullptr;
}

}  // namespace echoloop

#else

namespace echoloop {

std::unique_ptr<FrameTexture> make_cuda_texture(std::string& why_not) {
  why_not = "built without CUDA";
  return nullptr;
}

}  // namespace echoloop

#endif
