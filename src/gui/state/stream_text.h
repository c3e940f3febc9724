// A scanner's connection, and a stream that is slower than its source or than real time, in words. Pure. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/live_status.h"
#include "core/stream_pace.h"

namespace echoloop {

// "3.2 s", "4 min 12 s", "2 h 05 min".
std::string elapsed_text(double seconds);

// "No sender since 3.2 s"; empty while a sender is connected, or before the first one.
std::string no_sender_text(const LiveStatus& status, std::int64_t now_ns);

// As a sender names the address that is waited at: a port of all networks by this machine's name, with the token file.
std::string sender_address(const std::string& address, const std::string& host);

std::string held_back_text(const StreamPace& pace);  // "Processing limits: 23 of 50 fps"; empty: it is not
std::string held_back_help(const StreamPace& pace);
std::string speed_text(const StreamPace& pace);  // "playing at 0.46×"; empty: in real time, or its rate is unknown

}  // namespace echoloop
