#include "backend/cpu/simulated_bus.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

std::int64_t transfer_ns(std::size_t bytes, const CopySettings& copy) {
  return std::llround(static_cast<double>(bytes) / copy.bus_gbps);  // 1e9 bytes per second = 1 byte per ns
}

std::int64_t latency_ns(const CopySettings& copy, double pieces) {
  return std::llround(1e3 * copy.bus_latency_us * pieces);
}

}  // namespace

double BusCopy::share_at(std::int64_t now_ns) const {
  if (now_ns >= end_ns) return 1.0;
  return now_ns <= start_ns ? 0.0 : static_cast<double>(now_ns - start_ns) / static_cast<double>(end_ns - start_ns);
}

std::int64_t SimulatedBus::duration_ns(std::size_t bytes, const LaneSettings& settings) {
  const CopySettings& copy = settings.copy;
  if (copy.bus_gbps <= 0.0 || settings.memory == HostMemory::mapped) return 0;
  const int times = settings.memory == HostMemory::pageable ? 2 : 1;
  return latency_ns(copy, copy.chunks + copy.streams - 1.0) + times * transfer_ns(bytes, copy);
}

std::int64_t SimulatedBus::reading_ns(std::size_t bytes, const LaneSettings& settings) {
  if (settings.copy.bus_gbps <= 0.0 || settings.memory != HostMemory::mapped) return 0;
  return latency_ns(settings.copy, 1.0) + transfer_ns(bytes, settings.copy);
}

BusCopy SimulatedBus::copy(const Request& request, const LaneSettings& settings) {
  const std::int64_t takes = duration_ns(request.bytes, settings);
  const bool ahead = settings.streams == StreamMode::overlap && settings.copy.device_sync == 0.0 &&
                     settings.memory != HostMemory::pageable;
  const std::int64_t start =
      takes == 0 || !ahead ? request.now_ns : std::max({request.published_ns, request.lane_free_ns, free_ns_});
  free_ns_ = start + takes;
  return {.start_ns = start, .end_ns = free_ns_};
}

}  // namespace echoloop
