// The level that is 0 dB in an image: what the parameters say, or, where they leave it open, a level that is held.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/plan.h"
#include "core/transmits.h"
#include "dsp/level.h"

namespace echoloop {

// Whether the level is the held one. The course recipe has none: it divides each frame by its own maximum.
[[nodiscard]] inline bool holds_level(const Plan& plan) {
  return plan.params.level.reference_db <= kAutoReference && plan.course == nullptr;
}

// Decibels. `held_db`: the held level, that of all transmits, from which a selection takes its share; kAutoReference:
// no level is held yet, and 0 stands in for it.
[[nodiscard]] inline double reference_level_db(const Plan& plan, double held_db) {
  if (!holds_level(plan)) return plan.params.level.reference_db;
  return held_db > kAutoReference ? held_db + transmit_level_db(plan.params, *plan.acquisition) : 0.0;
}

// The level to hold that puts 0 dB at the brightest pixel of the frame in the lane, whose envelope has been made: as it
// would be with all transmits, so that a selection changes the brightness only by what it leaves out. Waits for the
// frame. None: a frame of zeros says nothing.
[[nodiscard]] inline std::optional<double> measured_level_db(Lane& lane, const Plan& plan) {
  if (plan.method.method == Adaptive::slsc) return std::nullopt;  // coherences have no level
  if (plan.method.shows_factor) {
    float brightest = 0.0F;
    const std::vector<float> pixels = lane.read_back(Lane::Tap::beamformed);
    for (std::size_t i = 0; i + 1 < pixels.size(); i += 2) {
      brightest = std::max(brightest, magnitude({pixels[i], pixels[i + 1]}));
    }
    if (!(brightest > kMagnitudeFloor)) return std::nullopt;
    return static_cast<double>(to_db(brightest, 0.0F)) - transmit_level_db(plan.params, *plan.acquisition);
  }
  lane.compress(0.0);
  lane.finish(HostCopy::made);
  lane.wait();
  const std::span<const float> image = lane.image().host();
  if (image.empty()) return std::nullopt;
  const float brightest = *std::max_element(image.begin(), image.end());
  constexpr float kSilenceDb = -590.0f;  // to_db()'s floor is -600
  if (brightest <= kSilenceDb) return std::nullopt;
  return static_cast<double>(brightest) - transmit_level_db(plan.params, *plan.acquisition);
}

}  // namespace echoloop
