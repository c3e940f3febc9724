// The wait at the sockets of a live source: asleep, or, for a while after each frame, without a pause, because waking a
// thread that sleeps takes 15 us and more.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/stream_settings.h"
#include "transport/file_descriptor.h"

namespace echoloop {

class SocketWait {
 public:
  static constexpr std::int64_t kSpin_ns = 100'000'000;  // after a frame; then the thread sleeps

  SocketWait();
  void wake() const;            // ends the wait, or the next one; any thread
  void set_how(FrameWait how);  // any thread
  void count_frame();           // when one has come
  // Until one of `sockets` has something, or wake() was called, or so long; -1: no limit.
  void wait(std::vector<pollfd>& sockets, int limit_ms);

 private:
  [[nodiscard]] bool spins() const;

  FileDescriptor wake_;
  std::atomic<FrameWait> how_{FrameWait::sleep};
  std::int64_t frame_ns_ = 0;  // when the newest frame came
};

}  // namespace echoloop
