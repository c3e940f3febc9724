// Waiting in tests: always for a condition, with a limit that a busy machine does not reach. Any thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>

#include "support/take_time.h"

namespace echoloop::testing {

// Returns true if `holds()` comes true within `limit`.
template <class Holds>
bool holds_within(std::chrono::seconds limit, Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    take_time(std::chrono::microseconds(200));
  }
  return true;
}

// Waits until `done()`; returns false (with a failure) after `limit`: a hang must not stop the whole test run.
template <class Done>
bool wait_until(Done&& done, std::chrono::seconds limit = std::chrono::seconds(60)) {
  const bool came = holds_within(limit, done);
  EXPECT_TRUE(came) << "nothing happened for " << limit.count() << " s";
  return came;
}

// Returns true if a thread of this process (its gettid()) is waiting.
inline bool is_waiting(pid_t thread) {
  std::string stat;
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  return std::getline(file, stat) && stat.find(") S ") != stat.npos;
}

}  // namespace echoloop::testing
