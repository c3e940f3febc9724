// A frame of channel data on its way: stamp and samples. The samples are a view; a ring slot or a recording owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace echoloop {

struct FrameStamp {
  std::uint64_t sequence = 0;      // counts every frame that the source made, from 0
  std::uint64_t source_index = 0;  // frame of the recording (sequence modulo its length) or of the phantom
  std::int64_t acquired_ns = 0;    // moment of publication, steady clock
  double time_s = 0.0;             // acquisition time: source_index / frame rate
};

struct RfFrame {
  FrameStamp stamp;
  std::span<const std::byte> samples;  // [transmit][element][sample], sample fastest; type by Acquisition
};

}  // namespace echoloop
