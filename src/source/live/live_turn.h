// Whose turn it is to read the sockets of a live source: the server thread's, or the producer thread's while that waits
// for a frame. A frame then wakes one thread in place of two, and waking is most of what a frame costs. The server
// thread takes over when the producer has not come for a while: it is paused, blocked by the policy, or there is none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

namespace echoloop {

enum class NextTurn { any, server };  // server: something waits for that thread

class LiveTurn {
 public:
  static constexpr std::chrono::milliseconds kAway{20};  // so long without the producer: it does not come

  // `wake` ends the server thread's wait at the sockets; any thread.
  explicit LiveTurn(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Server thread. False once `stop` is requested.
  bool begin_server(const std::stop_token& stop);
  void end_server();
  void stop_server();  // any thread: after the request to stop
  // Producer thread.
  void begin_producer();
  void end_producer(NextTurn next);

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable server_, producer_;
  // All below under mutex_.
  bool server_serves_ = false, producer_serves_ = false, producer_waits_ = false;
  bool server_wanted_ = false;
  bool asleep_ = false;  // the server thread waits without a limit: the producer has not left for kAway
  std::uint64_t visits_ = 0, seen_ = 0;
};

}  // namespace echoloop
