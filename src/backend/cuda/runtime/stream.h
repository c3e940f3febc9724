// CUDA streams: the owner, and the view that every function which queues work takes. Nothing here uses the default
// stream.
#pragma once

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {

class StreamView {
 public:
  explicit StreamView(cudaStream_t stream) : stream_(stream) {}
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  // Whether all that was queued has been done.
  [[nodiscard]] bool idle() const {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // not a failure, but the runtime notes it as one
      return false;
    }
    CUDA_CHECK(status);
    return true;
  }
  void synchronize() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  void synchronize_quietly() const noexcept { CUDA_QUIET(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_;
};

// Kernels of a higher priority get the multiprocessors first.
enum class StreamPriority { low, high };

// A non-blocking stream of the current device.
class Stream {
 public:
  explicit Stream(StreamPriority priority = StreamPriority::low) {
    int lowest = 0;
    int highest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                            priority == StreamPriority::high ? highest : lowest));
  }
  ~Stream() { CUDA_QUIET(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] StreamView view() const { return StreamView(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace echoloop::cuda
