// From complex pixels to decibels.
#pragma once

#include <cmath>
#include <cstddef>

#include "dsp/complex.h"

namespace echoloop {

// Far below any recording: it only avoids log(0).
inline constexpr float kMagnitudeFloor = 1e-30f;

// The larger of two values without NaN; on a CPU without a call, so that loops vectorise.
ECHO_HD float larger_of(float a, float b) {
#if defined(__CUDA_ARCH__)
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}

// Field II's raw amplitudes are 1e-20 and less, whose squares no float holds: far from 1, values are brought near it by
// a power of two, which rounds nothing. The factor for values of about `larger`.
ECHO_HD float factor_towards_one(float larger) {
  return larger < 0x1p-50f ? 0x1p60f : (larger > 0x1p50f ? 0x1p-60f : 1.0f);
}

ECHO_HD float magnitude(Complex v) {
  const float larger = larger_of(fabsf(v.re), fabsf(v.im));
  const float up = factor_towards_one(larger);
  const float down = larger < 0x1p-50f ? 0x1p-60f : (larger > 0x1p50f ? 0x1p60f : 1.0f);
  const float re = v.re * up;
  const float im = v.im * up;
  return sqrtf(re * re + im * im) * down;
}

// Below these an image is as dark as at them: where there is an echo there is a level.
inline constexpr float kLeastWeight = 1e-6f;
inline constexpr float kLeastCoherence = 1e-5f;

// amplitude: magnitude times weight. coherence: pixels are coherences in [-1, 1]. factor: the weight itself.
enum class PixelReading { amplitude, coherence, factor };

// Complex pixels, whose amplitudes in the B-mode image an adaptive method weighs.
struct WeighedPixels {
  const Complex* pixels;
  const float* weights = nullptr;  // null: 1
  PixelReading reading = PixelReading::amplitude;

  [[nodiscard]] ECHO_HD float amplitude(std::size_t i) const {
    if (reading == PixelReading::coherence) return fmaxf(pixels[i].re, kLeastCoherence);
    if (reading == PixelReading::factor) return fminf(weights[i], 1.0f);
    const float plain = magnitude(pixels[i]);
    return weights == nullptr ? plain : fmaxf(weights[i], kLeastWeight) * plain;
  }
  // Reading amplitude only: the complex pixel whose magnitude amplitude() is.
  [[nodiscard]] ECHO_HD Complex value(std::size_t i) const {
    return weights == nullptr ? pixels[i] : fmaxf(weights[i], kLeastWeight) * pixels[i];
  }
};

// The pixel with another magnitude; 0 stays 0.
ECHO_HD Complex with_magnitude(Complex pixel, float wanted) {
  const float own = magnitude(pixel);
  return own > 0.0f ? (wanted / own) * pixel : pixel;
}

// 20 log10(magnitude) - reference_db
ECHO_HD float to_db(float magnitude_value, float reference_db) {
  const float m = magnitude_value > kMagnitudeFloor ? magnitude_value : kMagnitudeFloor;
  return 20.0f * log10f(m) - reference_db;
}

// The level that the recipe of the course makes 0 dB: that of the frame's largest magnitude. Silence has none; it stays
// black.
ECHO_HD float frame_level_db(float largest) { return largest > kMagnitudeFloor ? to_db(largest, 0.0f) : 0.0f; }

}  // namespace echoloop
