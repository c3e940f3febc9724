// The level that is 0 dB in the picture of a kept frame.
#pragma once

#include "backend/plan.h"
#include "core/transmits.h"

namespace echoloop {

// Decibels. `held_db` stands in for an automatic level, kAutoReference: there is none yet.
[[nodiscard]] inline double review_level_db(const Plan& plan, double held_db) {
  const ImagingParams& p = plan.params;
  const bool automatic = p.reference_db <= kAutoReference && plan.course == nullptr;
  if (!automatic) return p.reference_db;
  return held_db > kAutoReference ? held_db + transmit_level_db(p, *plan.acquisition) : 0.0;
}

}  // namespace echoloop
