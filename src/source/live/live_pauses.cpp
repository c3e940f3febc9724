#include "source/live/live_pauses.h"

#include <algorithm>

namespace echoloop {

std::int64_t LivePauses::left_ns(const std::string& place, std::int64_t now_ns) const {
  const auto at = std::ranges::find(pauses_, place, &Pause::place);
  return at == pauses_.end() ? 0 : std::max<std::int64_t>(at->end_ns - now_ns, 0);
}

void LivePauses::add_wrong(const std::string& place, std::int64_t now_ns) {
  std::erase_if(pauses_, [now_ns](const Pause& pause) { return now_ns - pause.end_ns > kForgotten_ns; });
  auto at = std::ranges::find(pauses_, place, &Pause::place);
  if (at == pauses_.end()) {
    if (pauses_.size() == kMost) pauses_.erase(std::ranges::min_element(pauses_, {}, &Pause::end_ns));
    at = pauses_.insert(pauses_.end(), {.place = place, .long_ns = kFirst_ns / 2});
  }
  at->long_ns = std::min(2 * at->long_ns, kLongest_ns);
  at->end_ns = now_ns + at->long_ns;
}

void LivePauses::add_right(const std::string& place) {
  std::erase_if(pauses_, [&place](const Pause& pause) { return pause.place == place; });
}

}  // namespace echoloop
