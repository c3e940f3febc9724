// From complex pixels to decibels.
#pragma once

#include <cmath>

#include "dsp/complex.h"

namespace echoloop {

// Field II amplitudes are around 1e-11 and sums of them smaller still: the floor lies far below, it only avoids log(0).
inline constexpr float kMagnitudeFloor = 1e-30f;

ECHO_HD float magnitude(Complex v) { return sqrtf(v.re * v.re + v.im * v.im); }

// 20 log10(magnitude) - reference_db
ECHO_HD float to_db(float magnitude_value, float reference_db) {
  const float m = magnitude_value > kMagnitudeFloor ? magnitude_value : kMagnitudeFloor;
  return 20.0f * log10f(m) - reference_db;
}

// The level that the recipe of the course makes 0 dB: that of the frame's largest magnitude. Silence has none; it stays
// black.
ECHO_HD float frame_level_db(float largest) { return largest > kMagnitudeFloor ? to_db(largest, 0.0f) : 0.0f; }

}  // namespace echoloop
