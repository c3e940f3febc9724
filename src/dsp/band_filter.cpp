#include "dsp/band_filter.h"

#include <cmath>

#include "core/units.h"

namespace echoloop {

double band_response(double f_hz, double low_hz, double high_hz) {
  const double half_width = 0.5 * (high_hz - low_hz);
  const double offset = std::abs(f_hz - 0.5 * (low_hz + high_hz));
  const double flat = 0.8 * half_width;
  if (offset <= flat) return 1.0;
  if (offset >= half_width) return 0.0;
  return 0.5 * (1.0 + std::cos(kPi * (offset - flat) / (half_width - flat)));
}

}  // namespace echoloop
