// The picture from device memory by CUDA-GL interop: registered once per size, mapped only around the copy, on a stream
// of its own. The first call that fails ends the attempt: the viewer falls back to the host texture. UI thread only.
#include "gui/frame_texture.h"

#ifdef ECHO_HAVE_CUDA

#include <glad/gl.h>
// cuda_gl_interop.h takes OpenGL's types from a system header unless one is there; glad has declared them all.
#ifndef __gl_h_
#define __gl_h_
#endif
#ifndef GL_H
#define GL_H
#endif
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include "gui/picture_texture.h"

namespace echoloop {
namespace {

class CudaTexture final : public FrameTexture {
 public:
  ~CudaTexture() override {
    // At shutdown the device may be gone already: the results of these calls change nothing.
    if (copied_ != nullptr) {
      cudaEventSynchronize(copied_);
      cudaEventDestroy(copied_);
    }
    if (resource_ != nullptr) cudaGraphicsUnregisterResource(resource_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  // The CUDA device in use must be the one that draws.
  bool start() {
    unsigned int count = 0;
    int drawing[8] = {};
    int current = -1;
    if (failed(cudaGLGetDevices(&count, drawing, 8, cudaGLDeviceListAll), "no CUDA device draws this window") ||
        failed(cudaGetDevice(&current), "no current CUDA device")) {
      return false;
    }
    bool found = false;
    for (unsigned int i = 0; i < count && i < 8; ++i) found = found || drawing[i] == current;
    if (!found) {
      why_ = "the window is drawn by another GPU";
      return false;
    }
    return !failed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream") &&
           !failed(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "event") && resize(1, 1);
  }

  bool update(const Image& image) override {
    if (image.device_db == nullptr || image.grid.nx < 1 || image.grid.nz < 1) return false;
    if (!texture_.fits(image.grid.nx, image.grid.nz) && !resize(image.grid.nx, image.grid.nz)) return false;
    if (failed(cudaGraphicsMapResources(1, &resource_, stream_), "map")) return false;
    const bool copied = copy(image);
    const bool unmapped = !failed(cudaGraphicsUnmapResources(1, &resource_, stream_), "unmap");
    return copied && unmapped;
  }

  void finish_reading() override {
    if (reading_) failed(cudaEventSynchronize(copied_), "wait for the copy");
    reading_ = false;
  }

  [[nodiscard]] unsigned int gl_texture() const override { return texture_.id(); }
  [[nodiscard]] bool needs_host_image() const override { return false; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  bool copy(const Image& image) {
    cudaArray_t array = nullptr;
    if (failed(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0), "mapped array")) return false;
    const std::size_t row = static_cast<std::size_t>(image.grid.nx) * sizeof(float);
    const auto rows = static_cast<std::size_t>(image.grid.nz);
    if (failed(
            cudaMemcpy2DToArrayAsync(array, 0, 0, image.device_db, row, row, rows, cudaMemcpyDeviceToDevice, stream_),
            "copy") ||
        failed(cudaEventRecord(copied_, stream_), "event")) {
      return false;
    }
    reading_ = true;
    return true;
  }

  bool resize(int width, int height) {
    finish_reading();
    if (resource_ != nullptr && failed(cudaGraphicsUnregisterResource(resource_), "unregister")) return false;
    resource_ = nullptr;
    texture_.allocate(width, height);
    return !failed(
        cudaGraphicsGLRegisterImage(&resource_, texture_.id(), GL_TEXTURE_2D, cudaGraphicsRegisterFlagsWriteDiscard),
        "register the texture");
  }

  // Also clears the error, so that the pipeline's own calls do not report it.
  bool failed(cudaError_t result, const char* what) {
    if (result == cudaSuccess) return false;
    why_ = std::string(what) + ": " + cudaGetErrorString(result);
    cudaGetLastError();
    return true;
  }

  PictureTexture texture_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr;
  cudaGraphicsResource_t resource_ = nullptr;
  bool reading_ = false;
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
