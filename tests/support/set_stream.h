// Other stream settings, and the wait until they hold.
#pragma once

#include <chrono>
#include <thread>

#include "app/session.h"

namespace echoloop::testing {

inline void set_stream(Session& session, const StreamSettings& stream) {
  session.begin_stream(stream);
  while (!session.advance()) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace echoloop::testing
