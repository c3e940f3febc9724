// The level that is 0 dB in a picture: what the parameters say, or, where they leave it open, a level that is held.
#pragma once

#include "backend/plan.h"
#include "core/transmits.h"

namespace echoloop {

// Whether the level is the held one. The course recipe has none: it divides each frame by its own maximum.
[[nodiscard]] inline bool holds_level(const Plan& plan) {
  return plan.params.reference_db <= kAutoReference && plan.course == nullptr;
}

// Decibels. `held_db`: the held level, that of all transmits, from which a selection takes its share; kAutoReference:
// no level is held yet, and 0 stands in for it.
[[nodiscard]] inline double reference_level_db(const Plan& plan, double held_db) {
  if (!holds_level(plan)) return plan.params.reference_db;
  return held_db > kAutoReference ? held_db + transmit_level_db(plan.params, *plan.acquisition) : 0.0;
}

}  // namespace echoloop
