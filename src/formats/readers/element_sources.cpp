#include "formats/readers/element_sources.h"

#include <algorithm>
#include <cmath>

namespace echoloop {

void ElementSources::Range::see(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

double ElementSources::away_s(const Transmit& t) const { return std::hypot(t.source_x_m, t.source_z_m) / c_m_s_; }

bool ElementSources::is_element(const Transmit& t) const {
  constexpr double kMicrometre = 1e-6;
  if (t.kind != TransmitKind::diverging) return false;
  const auto there = [&](const Element& e) {
    return std::hypot(e.x_m + placed_.origin_x_m - t.source_x_m, e.z_m - t.source_z_m) < kMicrometre;
  };
  return std::any_of(placed_.probe.elements.begin(), placed_.probe.elements.end(), there);
}

void ElementSources::see(const Transmit& t, double delay_s) {
  if (!is_element(t)) return;
  in_front_.see(delay_s - away_s(t));
  passing_.see(delay_s + away_s(t));
}

double ElementSources::early_s(const Transmit& t) const {
  constexpr double kInFront_m = -1e-3;  // USTB's
  constexpr double kNoise_s = 1e-9;     // of single precision
  if (!is_element(t) || passing_.spread() + kNoise_s < 0.5 * in_front_.spread()) return 0.0;
  const bool told = in_front_.spread() + kNoise_s < 0.5 * passing_.spread();
  return told || t.source_z_m >= kInFront_m ? 2.0 * away_s(t) : 0.0;
}

}  // namespace echoloop
