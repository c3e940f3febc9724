// What all lanes of the CUDA backend share: device, streams, clock, tables and transforms on the device.
// One stream each for copies to the device, kernels, and copies of images back: copies follow each other without a gap,
// kernels never wait for an image that travels to the host. Kernels of consecutive frames compete only where that pays
// (frame_overlap.h).
#pragma once

#include <memory>
#include <string>

#include "backend/cuda/runtime/fft_plan.h"
#include "backend/cuda/runtime/frame_overlap.h"
#include "backend/cuda/runtime/gpu_clock.h"
#include "backend/cuda/runtime/host_memory.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/cuda/runtime/table_cache.h"

namespace echoloop::cuda {

struct Context {
  // The device must be the calling thread's current one.
  Context(int device_index, std::string device_name) : device(device_index), name(std::move(device_name)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The current device is a property of the thread: a thread that is new to it sets it first. [any thread]
  // Throws when the device is lost, without touching it.
  void make_current() const {
    if (device_lost()) throw CudaError(loss_text());
    CUDA_CHECK(cudaSetDevice(device));
  }

  // For destructors: what is queued there has been done, unless the device is lost. [any thread]
  void finish(StreamView stream) const noexcept {
    if (device_lost()) return;
    CUDA_QUIET(cudaSetDevice(device));
    stream.synchronize_quietly();
  }

  int device;
  std::string name;
  Stream copy;
  Stream processing{StreamPriority::high};  // before flow images
  Stream images;
  FrameOverlap overlap;  // of the stream's lanes
  Stream background;     // tables and clock anchors
  GpuClock clock{background.view()};
  FftCache ffts{processing.view()};
  TableCache tables{background.view(), processing.view()};
  std::shared_ptr<MappedRanges> mapped = std::make_shared<MappedRanges>();
  std::shared_ptr<KeptPages> kept = std::make_shared<KeptPages>();
};

}  // namespace echoloop::cuda
