// A sample of a frame as a number.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/acquisition.h"

namespace echoloop {

// Number `index` of the frame's values; 0 for one that is infinite or no number.
inline double sample_value(const Acquisition& a, std::span<const std::byte> frame, std::size_t index) {
  if (a.sample_type == SampleType::int16) {
    std::int16_t value = 0;
    std::memcpy(&value, frame.data() + index * sizeof value, sizeof value);
    return value;
  }
  float value = 0.0F;
  std::memcpy(&value, frame.data() + index * sizeof value, sizeof value);
  return std::isfinite(value) ? static_cast<double>(value) : 0.0;
}

}  // namespace echoloop
