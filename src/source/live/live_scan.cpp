#include "source/live/live_scan.h"

#include <cstdio>

namespace echoloop {

std::string clock_text(const LiveScan& scan) {
  if (scan.description.device_hz > 0.0) {
    char text[40];
    std::snprintf(text, sizeof text, "device, %.3f MHz", scan.description.device_hz * 1e-6);
    return text;
  }
  return scan.clock == SenderClock::none ? "arrival" : "host";
}

std::string assumed_text(const LiveDescription& described) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const Assumption& assumption : described.acquisition->assumptions) add(assumption.text);
  if (!described.unused.empty()) add("keys without effect: " + described.unused);
  return text;
}

}  // namespace echoloop
