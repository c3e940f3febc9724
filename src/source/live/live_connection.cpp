#include "source/live/live_connection.h"

#include <algorithm>

namespace echoloop {
namespace {

constexpr std::int64_t kPatience_ns = 2'000'000'000;

}  // namespace

bool LiveConnection::PeerClock::take(const LivePing& pong, std::int64_t now_ns) {
  if (pinged_ns == 0 || pong.asked_ns != pinged_ns) return false;
  if (pong.answered_ns >> 62 != 0) return false;  // below 0, or sums of two would not fit
  const std::int64_t this_trip_ns = now_ns - pong.asked_ns;
  if (round_trip_ns != 0 && this_trip_ns >= round_trip_ns) return false;
  round_trip_ns = this_trip_ns;
  offset_ns = pong.asked_ns + this_trip_ns / 2 - pong.answered_ns;
  return true;
}

bool LiveConnection::is_overdue(std::int64_t now_ns) {
  if (greeted && stream.received_bytes() != heard_bytes) {
    heard_bytes = stream.received_bytes();
    heard_ns = now_ns;
  }
  return (!greeted || stream.in_the_middle()) && now_ns - heard_ns > kPatience_ns;
}

std::size_t first_to_go(const std::vector<std::unique_ptr<LiveConnection>>& connections, const std::string& place) {
  const auto count = [&](const std::string& one) {
    return (one == place ? 1 : 0) + std::ranges::count_if(connections, [&](const auto& other) {
             return !other->greeted && other->peer.place == one;
           });
  };
  const auto goes = std::ranges::max_element(connections, {}, [&](const auto& one) {  // the first of equal ones
    return one->greeted ? -1 : count(one->peer.place);
  });
  return static_cast<std::size_t>(goes - connections.begin());
}

}  // namespace echoloop
