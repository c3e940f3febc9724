#include "gui/state/scanner_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace echoloop {

std::string elapsed_text(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string no_sender_text(const LiveStatus& status, std::int64_t now_ns) {
  if (status.link != LiveLink::gone) return {};
  return "No sender since " +
         elapsed_text(static_cast<double>(std::max<std::int64_t>(now_ns - status.since_ns, 0)) * 1e-9);
}

std::string sender_address(const std::string& address, const std::string& host) {
  constexpr std::string_view kAny = "live:tcp:0.0.0.0:";
  if (!address.starts_with(kAny)) return address;
  return fmt::format("live:tcp:{}:{},token=FILE", host, address.substr(kAny.size()));
}

}  // namespace echoloop
