// Memory that a plan and its lanes take, before they are made. A stream is refused by it where there is not so much;
// frames are counted elsewhere. Of the host an upper estimate, within a quarter where frames are large; of a device
// what is needed at least, without work space.
#pragma once

#include <cstddef>

#include "backend/plan.h"

namespace echoloop {

struct StreamBytes {
  std::size_t plan = 0;         // tables, shared by all lanes
  std::size_t lane = 0;         // lines, filters and images of one lane on the CPU
  std::size_t device_lane = 0;  // frame, lines and image of one lane on a device, whose tables are as large
};

// With `threads` of the CPU backend. Throws Error as check_params() does.
[[nodiscard]] StreamBytes estimate_stream(const Acquisition& acquisition, const ImagingParams& params, int threads);

// Sizes and rates of Plan::band, without its response.
[[nodiscard]] BandPlan band_rates(const Acquisition& acquisition, const ImagingParams& params);

}  // namespace echoloop
