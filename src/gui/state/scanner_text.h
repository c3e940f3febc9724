// A scanner's connection in words. Pure. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/live_status.h"

namespace echoloop {

// "3.2 s", "4 min 12 s", "2 h 05 min".
std::string elapsed_text(double seconds);

// "No sender since 3.2 s"; empty while a sender is connected, or before the first one.
std::string no_sender_text(const LiveStatus& status, std::int64_t now_ns);

// As a sender names the address that is waited at: a port of all networks by this machine's name, with the token file.
std::string sender_address(const std::string& address, const std::string& host);

}  // namespace echoloop
