// Lines for tests of the tuned path's filter: a band of 3 to 7 MHz at several rates.
#pragma once

#include "dsp/packed_fir.h"

namespace echoloop::testing {

struct PackedCase {
  const char* name;
  double sampling_hz;
  int decimation;
  int interpolation;
  double input_hz;  // 0: RF
};

inline PackedFirSpec packed_spec(const PackedCase& c, double demod_hz) {
  return {.sampling_hz = c.sampling_hz,
          .band_low_hz = 3e6,
          .band_high_hz = 7e6,
          .input_hz = c.input_hz,
          .demod_hz = demod_hz,
          .decimation = c.decimation,
          .interpolation = c.interpolation,
          .components = c.input_hz > 0.0 ? 2 : 1};
}

}  // namespace echoloop::testing
