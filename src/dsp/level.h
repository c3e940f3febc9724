// From complex pixels to decibels.
#pragma once

#include "dsp/complex.h"

namespace echoloop {

// Avoids log(0); far below any recording.
inline constexpr float kMagnitudeFloor = 1e-30f;

// Returns the larger of two values (not NaN); on a CPU without a call, so that loops vectorise.
ECHO_HD float larger_of(float a, float b) {
#if defined(__CUDA_ARCH__)
  return fmaxf(a, b);
#else
  return a > b ? a : b;
#endif
}

// Returns the power of two that scales values of about `larger` towards 1 without rounding: Field II's raw amplitudes
// are 1e-20 and less, and floats do not hold their squares.
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

// Lower limits of weight and coherence in an image, so that every echo has a level.
inline constexpr float kLeastWeight = 1e-6f;
inline constexpr float kLeastCoherence = 1e-5f;

// amplitude: magnitude times weight; coherence: pixels are coherences in [-1, 1]; factor: the weight itself.
enum class PixelReading { amplitude, coherence, factor };

// Complex pixels with the weights of an adaptive method for their amplitudes in the B-mode image.
struct WeighedPixels {
  const Complex* pixels;
  const float* weights = nullptr;  // null: 1
  PixelReading reading = PixelReading::amplitude;

  [[nodiscard]] ECHO_HD float amplitude(size_t i) const {
    if (reading == PixelReading::coherence) return fmaxf(pixels[i].re, kLeastCoherence);
    if (reading == PixelReading::factor) return fminf(weights[i], 1.0f);
    const float plain = magnitude(pixels[i]);
    return weights == nullptr ? plain : fmaxf(weights[i], kLeastWeight) * plain;
  }
  // Returns the complex pixel with magnitude amplitude(i); for PixelReading::amplitude only.
  [[nodiscard]] ECHO_HD Complex value(size_t i) const {
    return weights == nullptr ? pixels[i] : fmaxf(weights[i], kLeastWeight) * pixels[i];
  }
};

// Returns the pixel with another magnitude; 0 stays 0.
ECHO_HD Complex with_magnitude(Complex pixel, float wanted) {
  const float own = magnitude(pixel);
  return own > 0.0f ? (wanted / own) * pixel : pixel;
}

// Returns 20 log10(magnitude) - reference_db.
ECHO_HD float to_db(float magnitude_value, float reference_db) {
  const float m = magnitude_value > kMagnitudeFloor ? magnitude_value : kMagnitudeFloor;
  return 20.0f * log10f(m) - reference_db;
}

// Returns the 0 dB level of the course recipe: that of the frame's largest magnitude; 0 for a frame of zeros, which
// stays black.
ECHO_HD float frame_level_db(float largest) { return largest > kMagnitudeFloor ? to_db(largest, 0.0f) : 0.0f; }

}  // namespace echoloop
