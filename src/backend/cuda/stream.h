// CUDA streams: the owner, and the view that every function which queues work takes. Nothing here uses the default
// stream.
#pragma once

#include "backend/cuda/cuda_error.h"

namespace echoloop::cuda {

class StreamView {
 public:
  explicit StreamView(cudaStream_t stream) : stream_(stream) {}
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  void synchronize_quietly() const noexcept { CUDA_QUIET(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_;
};

// A non-blocking stream of the current device.
class Stream {
 public:
  Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { CUDA_QUIET(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] StreamView view() const { return StreamView(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace echoloop::cuda
