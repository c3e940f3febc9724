// Generated content of the inspector: one wire's echo on all elements.
#pragma once

#include <cmath>
#include <memory>

#include "gui/scene.h"

namespace echoloop::testing {

inline constexpr int kElements = 64, kSamples = 400, kAligned = 49;

// Returns a wire's echo on a hyperbola, and the curve a given number of samples below it.
inline std::shared_ptr<const Inspection> wire(double curve_offset = 0.0) {
  auto i = std::make_shared<Inspection>();
  i->at = i->asked = {1e-3, 15e-3};
  i->transmit = 5;
  i->sampling_hz = 20e6;
  i->raw.first = 300;
  i->raw.count = kSamples;
  i->aligned.count = kAligned;
  i->aligned.step_s = 1.0 / 60e6;
  for (int k = 0; k < 11; ++k) i->summed.push_back(k);
  for (int e = 0; e < kElements; ++e) {
    const double echo = 420.0 + 0.1 * (e - 30.0) * (e - 30.0);
    const bool seen = e > 8 && e < 52;
    i->channels.push_back({echo + curve_offset, seen ? 1.0F : 0.0F, {1.0F, 0.0F}});
    for (int k = 0; k < kSamples; ++k) {
      const double t = k + 300 - echo;
      i->raw.values.push_back(static_cast<float>(std::exp(-t * t / 8.0) * std::cos(1.5 * t)));
    }
    for (int k = 0; k < kAligned; ++k) i->aligned.values.push_back(seen && k == kAligned / 2 ? 1.0F : 0.0F);
  }
  i->level.pixel_db = -12.34;
  i->level.sum_db = -12.34;
  for (int k = 0; k < 101; ++k) i->line.db.push_back(-0.5F * static_cast<float>(std::abs(k - 50)));
  i->iz = 50;
  i->line.first_m = 5e-3;
  i->line.last_m = 25e-3;
  i->spectra.step_hz = 0.1e6;
  i->spectra.raw_db.assign(100, -20.0F);
  i->spectra.filtered_db.assign(100, -40.0F);
  i->spectra.response_db.assign(100, 0.0F);
  i->spectra.band_low_hz = 3e6;
  i->spectra.band_high_hz = 7e6;
  return i;
}

}  // namespace echoloop::testing
