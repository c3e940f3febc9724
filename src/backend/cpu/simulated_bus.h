// Bus and copy engine that a CPU simulates in place of a device's, so that the times of copies, kernels and their
// overlap can be shown on every machine. Times only: samples are read in place, results are unchanged.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace echoloop {

struct BusCopy {
  std::int64_t start_ns = 0, end_ns = 0;

  // Returns the part of the copy that is done at `now_ns`: 0 to 1.
  [[nodiscard]] double share_at(std::int64_t now_ns) const;
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
  BusCopy copy(const Request& request, const LaneSettings& settings);

  // Returns the duration of the copy: a latency for each piece and each further stream, and bytes / rate, twice for
  // pageable memory, whose samples the driver copies to a page-locked buffer first. 0 for mapped memory.
  [[nodiscard]] static std::int64_t duration_ns(std::size_t bytes, const LaneSettings& settings);

  // Returns the additional duration of kernels that read mapped memory over the bus; 0 for other kinds.
  [[nodiscard]] static std::int64_t reading_ns(std::size_t bytes, const LaneSettings& settings);

 private:
  std::int64_t free_ns_ = 0;  // end of the last copy
};

}  // namespace echoloop
