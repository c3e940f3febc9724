#include "core/params.h"

#include <algorithm>

namespace echoloop {

std::array<double, kTgcSteps> tgc_db(const ImagingParams& p) {
  return {p.tgc_1_db, p.tgc_2_db, p.tgc_3_db, p.tgc_4_db, p.tgc_5_db, p.tgc_6_db, p.tgc_7_db, p.tgc_8_db};
}

bool is_flat(const std::array<double, kTgcSteps>& gains) {
  return std::all_of(gains.begin(), gains.end(), [](double g) { return g == 0.0; });
}

double tgc_at(const std::array<double, kTgcSteps>& gains, double place) {
  const double at = std::clamp(place, 0.0, 1.0) * (kTgcSteps - 1);
  const auto lower = std::min(static_cast<std::size_t>(at), gains.size() - 2);
  return gains[lower] + (at - static_cast<double>(lower)) * (gains[lower + 1] - gains[lower]);
}

}  // namespace echoloop
