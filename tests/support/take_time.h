// Simulated slow work in a test: of a slow disk, a device under load, a paced source or user. Waits use conditions
// (waiting.h).
#pragma once

#include <chrono>
#include <thread>

namespace echoloop::testing {

inline void take_time(std::chrono::nanoseconds duration) { std::this_thread::sleep_for(duration); }

}  // namespace echoloop::testing
