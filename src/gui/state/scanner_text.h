// A scanner's connection in words. Pure, but for the time zone. Any thread.
#pragma once

#include <string>

#include "core/live_status.h"

namespace echoloop {

// "No sender since 14:36:16", local time; empty while a sender is connected, or before the first one.
std::string no_sender_text(const LiveStatus& status);

}  // namespace echoloop
