// Whose turn it is at the sockets: never two threads', the server thread's when it is wanted or when the producer stays
// away, and no wait that does not end.
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "source/live/live_listener.h"
#include "support/waiting.h"

namespace echoloop::live_turn_test {
namespace {

using testing::holds_within;

constexpr std::chrono::seconds kLimit{20};

// A server thread whose sockets are a semaphore.
class Server {
 public:
  Server() : turn([this] { sockets_.release(); }), thread_([this](const std::stop_token& stop) { run(stop); }) {}
  ~Server() {
    thread_.request_stop();
    sockets_.release();
    turn.stop_server();
  }
  // Whether the server thread comes to its turn again.
  [[nodiscard]] bool serves_again() {
    sockets_.release();
    const int before = served;
    return holds_within(kLimit, [&] { return served > before + 1; });
  }

 private:
  void run(const std::stop_token& stop) {
    while (turn.begin_server(stop)) {
      const bool alone = ++inside == 1;
      two_at_once = two_at_once || !alone;
      static_cast<void>(sockets_.try_acquire_for(std::chrono::milliseconds(1)));
      --inside;
      ++served;
      turn.end_server();
    }
  }
  std::counting_semaphore<> sockets_{0};

 public:
  std::atomic<int> inside{0}, served{0};
  std::atomic<bool> two_at_once{false};
  LiveTurn turn;

 private:
  std::jthread thread_;
};

TEST(LiveTurn, IsOneThreadsAtATime) {
  Server server;
  for (int k = 0; k < 1000; ++k) {
    server.turn.begin_producer();
    const bool alone = ++server.inside == 1;
    if (!alone) server.two_at_once = true;
    if (k % 100 == 0) std::this_thread::yield();
    --server.inside;
    const bool wanted = k % 50 == 0;
    server.turn.end_producer(wanted ? NextTurn::server : NextTurn::any);
    ASSERT_TRUE(!wanted || server.serves_again()) << k;
  }
  EXPECT_FALSE(server.two_at_once);
}

TEST(LiveTurn, IsTheServersWhenTheProducerStaysAway) {
  Server server;
  server.turn.begin_producer();
  server.turn.end_producer(NextTurn::any);
  EXPECT_TRUE(server.serves_again());
}

// The producer waits for what the server thread reads: that thread goes on without a pause.
TEST(LiveTurn, GoesOnAtTheServerThatWasWanted) {
  using Clock = std::chrono::steady_clock;
  Server server;
  const auto went_on_at_once = [&] {
    server.turn.begin_producer();
    server.turn.end_producer(NextTurn::server);
    const Clock::time_point begin = Clock::now();
    return server.serves_again() && Clock::now() - begin < LiveTurn::kAway;
  };
  EXPECT_TRUE(holds_within(kLimit, went_on_at_once));  // some of the tries are slow on a busy machine
}

// It waits for the producer, which does not leave: the end of the program comes through all the same.
TEST(LiveTurn, TheServersWaitEndsByAStop) {
  Server server;
  server.turn.begin_producer();
}

}  // namespace
}  // namespace echoloop::live_turn_test
