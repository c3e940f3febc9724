#include "formats/import/guess_units.h"

#include <algorithm>
#include <cmath>

namespace echoloop {

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

double hertz(const FactNumbers& c) {
  switch (c.named.unit) {
    case NamedUnit::megahertz:
      return 1e6;
    case NamedUnit::kilohertz:
      return 1e3;
    case NamedUnit::hertz:
      return 1.0;
    default:
      return c.values[0] < 1e3 ? 1e6 : c.values[0] < 1e5 ? 1e3 : 1.0;
  }
}

double metres(const FactNumbers& c, double reach_m) {
  switch (c.named.unit) {
    case NamedUnit::millimetre:
      return 1e-3;
    case NamedUnit::micrometre:
      return 1e-6;
    case NamedUnit::metre:
      return 1.0;
    default:
      return largest(c.values) < reach_m ? 1.0 : largest(c.values) < 1e3 * reach_m ? 1e-3 : 1e-6;
  }
}

double seconds(const FactNumbers& c, double reach_s) {
  switch (c.named.unit) {
    case NamedUnit::microsecond:
      return 1e-6;
    case NamedUnit::nanosecond:
      return 1e-9;
    case NamedUnit::second:
      return 1.0;
    default:
      return largest(c.values) <= reach_s ? 1.0 : 1e-6;
  }
}

std::string unit_note(double factor, const char* unit) { return factor == 1.0 ? "" : std::string(", read as ") + unit; }

}  // namespace echoloop
