#include "source/live/live_turn.h"

namespace echoloop {

bool LiveTurn::begin_server(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_others = [this] { return producer_serves_ || producer_waits_ || visits_ != seen_; };
  while (!stop.stop_requested() && !server_wanted_ && is_others()) {
    const bool came_again = visits_ != std::exchange(seen_, visits_);
    if (came_again || !producer_serves_) {
      server_.wait_for(lock, kAway);
    } else {
      asleep_ = true;
      server_.wait(lock, [&] { return !asleep_ || stop.stop_requested(); });
      asleep_ = false;
    }
  }
  if (std::exchange(server_wanted_, false)) seen_ = visits_;  // the producer waits for what this thread reads
  server_serves_ = !stop.stop_requested();
  return server_serves_;
}

void LiveTurn::end_server() {
  const std::scoped_lock lock(mutex_);
  server_serves_ = false;
  if (producer_waits_) producer_.notify_one();
}

void LiveTurn::stop_server() {
  { const std::scoped_lock lock(mutex_); }
  server_.notify_one();
}

void LiveTurn::begin_producer() {
  std::unique_lock lock(mutex_);
  ++visits_;
  if (server_serves_) {
    producer_waits_ = true;
    wake_();
    producer_.wait(lock, [this] { return !server_serves_; });
    producer_waits_ = false;
  }
  producer_serves_ = true;
}

void LiveTurn::end_producer(NextTurn next) {
  bool wakes = false;
  {
    const std::scoped_lock lock(mutex_);
    producer_serves_ = false;
    ++visits_;
    server_wanted_ = server_wanted_ || next == NextTurn::server;
    wakes = std::exchange(asleep_, false) || server_wanted_;
  }
  if (wakes) server_.notify_one();
}

}  // namespace echoloop
