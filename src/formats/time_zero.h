// Whether the point echoes of a frame say another time of sample 0 than the one stated, or waves to the other side: of
// a few strong echoes, the coherence of all channels as a function of that time, and of the event from which it is
// counted. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/acquisition.h"

namespace echoloop {

enum class TimeZeroFault {
  shift,       // all transmits by the same time
  not_origin,  // stated from the wave's passage through the origin, but counted from the first firing
  not_first,   // stated from the first firing, but counted from the wave's passage through the origin
  mirrored     // no fault of time: left and right of the transmits are those of the elements exchanged
};

struct TimeZeroDoubt {
  TimeZeroFault fault = TimeZeroFault::shift;
  double shift_s = 0.0;                                // to add to t0_s of the first transmit
  double stated_coherence = 0.0, found_coherence = 0;  // 0 to 1, by the power of the echoes
};

// Of channel data of plane and diverging waves, explicit delays and single elements. Nothing: no better time within
// 8 us, no distinct echoes, focused beams, or a band that is folded. `frame`: one frame as the acquisition says.
// Reads at most 7 transmits and 48 elements.
std::optional<TimeZeroDoubt> measure_time_zero(const Acquisition& acquisition, std::span<const std::byte> frame);

}  // namespace echoloop
