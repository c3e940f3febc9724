// What a sender described, as the viewer accepted it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "formats/live_description.h"
#include "source/live/live_protocol.h"

namespace echoloop {

struct LiveScan {
  std::vector<std::byte> json;
  LiveDescription description;
  std::shared_ptr<const std::string> readable;
  SenderClock clock = SenderClock::none;
};
using LiveScanPtr = std::shared_ptr<LiveScan>;

// "device, 40.000 MHz", "host", "arrival".
[[nodiscard]] std::string clock_text(const LiveScan& scan);
// What was assumed, and which keys had no effect; for ACCEPTED.
[[nodiscard]] std::string assumed_text(const LiveDescription& described);

}  // namespace echoloop
