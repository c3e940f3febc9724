// What the facts of a recording may be instead, by the usual mistakes: candidates that its point echoes decide
// (time_zero.h). Any thread. Internal to src/formats and the doubts.
#pragma once

#include <vector>

#include "core/acquisition.h"

namespace echoloop {

enum class OtherFactKind {
  wavelengths,   // the number of millimetres that is the pitch is one of wavelengths
  half_pitch,    // elements lie half as far apart
  degrees,       // angles of plane waves in radians are in degrees
  order,         // angles of plane waves are listed in another order than the samples
  demodulation,  // IQ was demodulated with another frequency
  quadrature     // the quadrature part of IQ has the opposite sign
};

struct OtherFact {
  OtherFactKind kind = OtherFactKind::wavelengths;
  double stated = 0.0, found = 0.0;                      // pitch in m, demodulation frequency in Hz
  Acquisition acquisition;                               // with the other fact
  double stated_coherence = 0.0, found_coherence = 0.0;  // 0 to 1
};

enum class OtherFacts { all, but_iq };  // but_iq: neither demodulation nor quadrature, which take longest

// All that `a` may be mistaken for.
std::vector<OtherFact> other_facts(const Acquisition& a, OtherFacts sought = OtherFacts::all);

}  // namespace echoloop
