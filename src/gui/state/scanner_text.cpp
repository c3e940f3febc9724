#include "gui/state/scanner_text.h"

#include <fmt/chrono.h>

#include <ctime>

namespace echoloop {

std::string no_sender_text(const LiveStatus& status) {
  if (status.link != LiveLink::gone) return {};
  return fmt::format("No sender since {:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(status.since_utc_s)));
}

}  // namespace echoloop
