#include "measure/component_spectrum.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace echoloop {

std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db) {
  if (temporal_vector.empty() || bins < 2) return {};
  const auto n = static_cast<double>(temporal_vector.size());
  std::vector<double> power;
  for (int bin = 0; bin < bins; ++bin) {
    const double turn = -kPi * (2.0 * bin / (bins - 1) - 1.0);  // from frame to frame
    const std::complex<double> step(std::cos(turn), std::sin(turn));
    std::complex<double> phase = 1.0, sum = 0.0;
    for (std::size_t t = 0; t < temporal_vector.size(); ++t) {
      const double window = 0.5 - 0.5 * std::cos(2.0 * kPi * (static_cast<double>(t) + 0.5) / n);
      sum += window * phase * std::complex<double>(temporal_vector[t]);
      phase *= step;
    }
    power.push_back(std::norm(sum));
  }
  const double most = *std::ranges::max_element(power);
  std::vector<float> levels_db;
  for (const double p : power) {
    const double share = most > 0.0 ? p / most : 0.0;
    levels_db.push_back(static_cast<float>(share > 0.0 ? std::max(10.0 * std::log10(share), floor_db) : floor_db));
  }
  return levels_db;
}

}  // namespace echoloop
