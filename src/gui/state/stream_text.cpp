#include "gui/state/stream_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/state/number_text.h"
#include "gui/state/ui_state.h"

namespace echoloop {
namespace {

std::string rate_text(double hz) { return fixed(hz, hz < 9.95 ? 1 : 0); }

}  // namespace

std::string FrameNumbers::text(const FrameStamp& stamp) const {
  return grouped(of(stamp)) + (count > 0 ? " of " + grouped(count) : "");
}

FrameNumbers numbers_of(const SourceInfo& source) { return {.count = source.frame_count, .by_sender = source.live}; }

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

std::string held_back_text(const StreamPace& pace) {
  if (pace.held_back == HeldBack::no) return {};
  const char* what = pace.held_back == HeldBack::by_processing ? "Processing limits:" : "Source slow:";
  return fmt::format("{} {} of {} fps", what, rate_text(pace.made_hz), rate_text(pace.rate_hz));
}

std::string held_back_help(const StreamPace& pace) {
  switch (pace.held_back) {
    case HeldBack::no:
      return "The source rate is below the acquisition rate: playback in slow motion.";
    case HeldBack::by_processing:
      return "Processing is slower than the source, and the policy Block delays the source. Reduce the grid or choose "
             "Drop oldest.";
    case HeldBack::by_source:
      break;
  }
  return "The source delivers fewer frames than its rate, and processing waits for them. Lower the rate.";
}

std::string speed_text(const StreamPace& pace) {
  return pace.slower ? fmt::format("playing at {:.2g}×", pace.speed) : std::string();
}

}  // namespace echoloop
