// Whether the point echoes of a frame say another time of sample 0 than the one stated, waves to the other side,
// another pitch, or a quadrature part of the other sign: of a few strong echoes, the coherence of all channels as a
// function of that time, of the event from which it is counted, of the pitch, and of that sign. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/acquisition.h"

namespace echoloop {

enum class TimeZeroFault {
  none,   // the transmits alone are wrong
  shift,  // all transmits by the same time
  event   // counted from another event than the stated one
};
enum class TimeEvent { first_firing, origin, centre };  // as "t_zero" of a description has them

struct TimeZeroDoubt {
  TimeZeroFault fault = TimeZeroFault::none;
  TimeEvent stated_event = TimeEvent::first_firing, found_event = TimeEvent::first_firing;
  double shift_s = 0.0;                                // to add to t0_s of the first transmit
  bool mirrored = false;                               // left and right of the transmits are exchanged
  double stated_coherence = 0.0, found_coherence = 0;  // 0 to 1, by the power of the echoes
};

// Of channel data of plane and diverging waves, explicit delays and single elements. Nothing: no better time within
// 8 us, no distinct echoes, focused beams, or a band that is folded. `frame`: one frame as the acquisition says.
// Reads at most 7 transmits and 48 elements.
std::optional<TimeZeroDoubt> measure_time_zero(const Acquisition& acquisition, std::span<const std::byte> frame);

struct SharperPoints {
  double stated_coherence = 0.0, found_coherence = 0.0;  // 0 to 1
};

struct PitchDoubt {
  double stated_m = 0.0, found_m = 0.0;
  double stated_coherence = 0.0, found_coherence = 0.0;  // 0 to 1
};

// Of a flat array of equal pitch: whether the number of millimetres that is its pitch is one of wavelengths, whatever
// event the times are counted from. Nothing: no sharper with that, or as above.
std::optional<PitchDoubt> measure_pitch(const Acquisition& acquisition, std::span<const std::byte> frame);

// Of IQ: whether its quadrature part has the opposite sign. Nothing: no sharper with that, or as above.
std::optional<SharperPoints> measure_conjugated(const Acquisition& acquisition, std::span<const std::byte> frame);

}  // namespace echoloop
