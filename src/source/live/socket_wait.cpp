#include "source/live/socket_wait.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "core/units.h"

namespace echoloop {

SocketWait::SocketWait() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void SocketWait::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void SocketWait::set_how(FrameWait how) {
  how_ = how;
  wake();
}

void SocketWait::count_frame() { frame_ns_ = now_ns(); }

bool SocketWait::spins() const { return how_ == FrameWait::spin && now_ns() - frame_ns_ < kSpin_ns; }

void SocketWait::wait(std::vector<pollfd>& sockets, int limit_ms) {
  sockets.push_back({.fd = wake_.get(), .events = POLLIN, .revents = 0});
  int ready = 0;
  while (ready == 0 && limit_ms != 0 && spins()) ready = ::poll(sockets.data(), sockets.size(), 0);
  if (ready == 0) ::poll(sockets.data(), sockets.size(), limit_ms);
  std::uint64_t count = 0;
  if (sockets.back().revents != 0) static_cast<void>(::read(wake_.get(), &count, sizeof count));
  sockets.pop_back();
}

}  // namespace echoloop
