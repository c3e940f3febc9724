// The time of the first sample, and the event that times count from. Internal to src/formats/import.
#pragma once

#include <cstddef>

#include "formats/import/guess_transmits.h"

namespace echoloop {

struct TimeFacts {
  const ArrayTree& tree;
  const GuessFacts& facts;
  const SentWaves& sent;
  const FactNumbers* times = nullptr;  // of all samples; null: none
  std::size_t n_times = 1;             // first samples: one a transmit, or a line
  bool lines = false;                  // beamformed
  double sampling_hz = 0.0;            // 0: not known
  double center_hz = 0.0;              // likewise
  double reach_m = 0.0;                // as of ArrayCounts
  double speed_m_s = 0.0;
};

// t0_s and t_zero, after the transmits.
void guess_first_sample(const TimeFacts& of, GuessedDescription& out);
// Seconds of one unit of `times`, of all samples, or of a `step` between two. Microseconds that are too long for the
// pulse are nanoseconds; `center_hz`: 0 where it is not known.
double times_factor(const FactNumbers& times, double center_hz);
double step_factor(const FactNumbers& named, double step, double center_hz);

}  // namespace echoloop
