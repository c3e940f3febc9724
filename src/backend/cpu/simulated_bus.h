// Bus and copy engine that a CPU simulates in place of a device's, so that the times of copies, kernels and their
// overlap can be shown on every machine. Times only: samples are read in place, results are unchanged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace echoloop {

struct BusCopy {
  std::int64_t start_ns = 0, end_ns = 0;

  // Returns the part of the copy that is done at `now_ns`: 0 to 1.
  [[nodiscard]] double share_at(std::int64_t now_ns) const {
    if (now_ns >= end_ns) return 1.0;
    return now_ns <= start_ns ? 0.0 : static_cast<double>(now_ns - start_ns) / static_cast<double>(end_ns - start_ns);
  }
};

class SimulatedBus {
 public:
  struct Request {
    std::size_t bytes = 0;
    std::int64_t now_ns = 0;
    std::int64_t published_ns = 0;  // the frame was complete in its slot
    std::int64_t lane_free_ns = 0;  // end of the lane's previous frame
  };

  // Returns the time of a frame's copy. With overlapping streams and page-locked memory the copy engine starts as soon
  // as the frame is published, the lane is free and earlier copies have ended, also in the past; otherwise now.
  BusCopy copy(const Request& request, const LaneSettings& settings) {
    const std::int64_t takes = duration_ns(request.bytes, settings);
    const bool ahead = settings.streams == StreamMode::overlap && settings.copy.device_sync == 0.0 &&
                       settings.memory != HostMemory::pageable;
    const std::int64_t start =
        takes == 0 || !ahead ? request.now_ns : std::max({request.published_ns, request.lane_free_ns, free_ns_});
    free_ns_ = start + takes;
    return {.start_ns = start, .end_ns = free_ns_};
  }

  // Returns the duration of the copy: a latency for each piece and each further stream, and bytes / rate, twice for
  // pageable memory, whose samples the driver copies to a page-locked buffer first. 0 for mapped memory.
  [[nodiscard]] static std::int64_t duration_ns(std::size_t bytes, const LaneSettings& settings) {
    const CopySettings& copy = settings.copy;
    if (copy.bus_gbps <= 0.0 || settings.memory == HostMemory::mapped) return 0;
    const int times = settings.memory == HostMemory::pageable ? 2 : 1;
    return latency_ns(copy, copy.chunks + copy.streams - 1.0) + times * transfer_ns(bytes, copy);
  }

  // Returns the additional duration of kernels that read mapped memory over the bus; 0 for other kinds.
  [[nodiscard]] static std::int64_t reading_ns(std::size_t bytes, const LaneSettings& settings) {
    if (settings.copy.bus_gbps <= 0.0 || settings.memory != HostMemory::mapped) return 0;
    return latency_ns(settings.copy, 1.0) + transfer_ns(bytes, settings.copy);
  }

 private:
  static std::int64_t transfer_ns(std::size_t bytes, const CopySettings& copy) {
    return std::llround(static_cast<double>(bytes) / copy.bus_gbps);  // 1e9 bytes per second = 1 byte per ns
  }

  static std::int64_t latency_ns(const CopySettings& copy, double pieces) {
    return std::llround(1e3 * copy.bus_latency_us * pieces);
  }

  std::int64_t free_ns_ = 0;  // end of the last copy
};

}  // namespace echoloop
