// What all lanes of the CUDA backend share: device, streams, clock, tables and transforms on the device.
// One copy stream and one processing stream: copies follow each other without a gap, kernels never compete.
#pragma once

#include <memory>
#include <string>

#include "backend/cuda/fft_plan.h"
#include "backend/cuda/gpu_clock.h"
#include "backend/cuda/host_memory.h"
#include "backend/cuda/stream.h"
#include "backend/cuda/table_cache.h"

namespace echoloop::cuda {

struct Context {
  // The device must be the calling thread's current one.
  Context(int device_index, std::string device_name) : device(device_index), name(std::move(device_name)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The current device is a property of the thread: whoever may be new to it says so first. [any thread]
  void make_current() const { CUDA_CHECK(cudaSetDevice(device)); }

  int device;
  std::string name;
  Stream copy;
  Stream processing;
  Stream background;  // tables and clock anchors
  GpuClock clock{background.view()};
  FftCache ffts{processing.view()};
  TableCache tables{background.view(), processing.view()};
  std::shared_ptr<MappedRanges> mapped = std::make_shared<MappedRanges>();
};

}  // namespace echoloop::cuda
