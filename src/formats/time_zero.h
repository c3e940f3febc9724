// Whether the point echoes of a frame say another time of sample 0 than the one stated, waves to the other side, or
// another fact that is often mistaken (other_facts.h): of a few strong echoes, the coherence of all channels as a
// function of that time, of the event from which it is counted, and of that fact. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/acquisition.h"
#include "formats/other_facts.h"

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

// The one among other_facts.h with which the points are sharpest, whatever event the times are counted from. Nothing:
// no sharper with any, or as above.
std::optional<OtherFact> measure_other_fact(const Acquisition& acquisition, std::span<const std::byte> frame,
                                            OtherFacts sought = OtherFacts::all);

}  // namespace echoloop
