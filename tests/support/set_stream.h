// Other stream settings, and the wait until they hold.
#pragma once

#include "app/stream/session.h"
#include "support/waiting.h"

namespace echoloop::testing {

inline void set_stream(Session& session, const StreamSettings& stream) {
  session.begin_stream(stream);
  wait_until([&] { return session.advance(); });
}

}  // namespace echoloop::testing
