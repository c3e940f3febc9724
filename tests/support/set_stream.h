// Changes stream settings, and waits until they apply.
#pragma once

#include "app/stream/session.h"
#include "support/waiting.h"

namespace echoloop::testing {

inline void set_stream(Session& session, const StreamSettings& stream) {
  session.begin_stream(stream);
  wait_until([&] { return session.advance(); });
}

}  // namespace echoloop::testing
