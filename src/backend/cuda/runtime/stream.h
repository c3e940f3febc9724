// CUDA streams: the owner, and the view passed to every function that queues work. Nothing here uses the default
// stream.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {

class StreamView {
 public:
  explicit StreamView(cudaStream_t stream) : stream_(stream) {}
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  // Returns true if all queued work is done.
  [[nodiscard]] bool idle() const {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // not a failure, but noted as one by the runtime
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

// Non-blocking stream of the current device.
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

// CUDA events: order between streams, time stamps, and host waits.

enum class EventUse {
  order,  // between streams, or polled by the host
  time,   // also a time stamp
  sleep,  // a waiting host thread sleeps instead of spinning
  time_and_sleep,
};

class Event {
 public:
  explicit Event(EventUse use) { CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags(use))); }
  ~Event() { CUDA_QUIET(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(StreamView stream) { CUDA_CHECK(cudaEventRecord(event_, stream.get())); }

  // Makes work queued on `stream` later wait for this event. No effect if it was never recorded.
  void make_wait(StreamView stream) const { CUDA_CHECK(cudaStreamWaitEvent(stream.get(), event_, 0)); }

  [[nodiscard]] bool passed() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // not a failure, but noted as one by the runtime
      return false;
    }
    CUDA_CHECK(status);
    return true;
  }

  void synchronize() const { CUDA_CHECK(cudaEventSynchronize(event_)); }
  void synchronize_quietly() const noexcept { CUDA_QUIET(cudaEventSynchronize(event_)); }

  // Returns milliseconds from `start` to this event; both have passed. A float: precise to 0.1 us over a second, 10 us
  // over a minute.
  [[nodiscard]] float ms_since(const Event& start) const {
    float ms = 0.0f;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  static unsigned flags(EventUse use) {
    if (use == EventUse::time) return cudaEventDefault;
    if (use == EventUse::time_and_sleep) return cudaEventBlockingSync;
    return use == EventUse::sleep ? cudaEventBlockingSync | cudaEventDisableTiming : cudaEventDisableTiming;
  }

  cudaEvent_t event_ = nullptr;
};

// Keeps at most two groups of steps of a long work queued: a launch into a full queue waits inside the driver, and with
// it every other call, those of the window too.
class QueueLimit {
 public:
  explicit QueueLimit(StreamView stream) : stream_(stream) {}
  // Call after each step, one or two launches; waits if necessary.
  void add() {
    if (++n_ % kGroup != 0) return;
    const std::size_t group = n_ / kGroup;
    ends_[group % 2].emplace(EventUse::sleep).record(stream_);
    if (group > 1) ends_[(group - 1) % 2]->synchronize();
  }

 private:
  static constexpr std::size_t kGroup = 32;
  StreamView stream_;
  std::size_t n_ = 0;
  std::array<std::optional<Event>, 2> ends_;
};

}  // namespace echoloop::cuda
