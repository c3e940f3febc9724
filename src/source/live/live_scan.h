// What a sender described, as the viewer accepted it.
#pragma once

#include <memory>
#include <string>

#include "formats/live_description.h"
#include "source/live/live_protocol.h"

namespace echoloop {

struct LiveScan {
  std::shared_ptr<const std::string> text;  // the description as the window shows it; never null
  LiveDescription description;
  SenderClock clock = SenderClock::none;
};
using LiveScanPtr = std::shared_ptr<LiveScan>;

// Whether both describe the same frames on the same clock; the layout of the JSON text does not count.
[[nodiscard]] inline bool same_scan(const LiveScan& a, const LiveScan& b) {
  return *a.text == *b.text && a.clock == b.clock;
}
// "device, 40.000 MHz", "host", "arrival".
[[nodiscard]] std::string clock_text(const LiveScan& scan);
// What was assumed, and which keys had no effect; for ACCEPTED.
[[nodiscard]] std::string assumed_text(const LiveDescription& described);

}  // namespace echoloop
