// Complex float with the same layout in both compilers: (re, im), 8 bytes, aligned so that one load fetches the pair.
#pragma once

#include "core/hd.h"

namespace echoloop {

struct alignas(8) Complex {
  float re;
  float im;
};

ECHO_HD Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
ECHO_HD Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
ECHO_HD Complex operator*(float s, Complex a) { return {s * a.re, s * a.im}; }
ECHO_HD Complex conjugate(Complex a) { return {a.re, -a.im}; }

// Unit phasors from turns. One polynomial for CPU and GPU: no table or library call; loops around it vectorise.

// Returns the largest integer <= v, for |v| < 2^31; unlike floorf two instructions on every machine.
ECHO_HD int floor_to_int(float v) {
  const int i = static_cast<int>(v);
  return i - static_cast<int>(v < static_cast<float>(i));
}

// Returns exp(+i 2 pi turns). r = turns minus the nearest integer is in [-1/2, 1/2]; sin and cos of pi r by polynomials
// in r^2 fitted at Chebyshev nodes (absolute errors 1.4e-8 and 4.7e-8), then the double angle formulas.
ECHO_HD Complex unit_phasor(float turns) {
  const float r = turns - static_cast<float>(floor_to_int(turns + 0.5f));
  const float u = r * r;
  const float s = r * (3.14159264f + u * (-5.16771008f + u * (2.55007739f + u * (-0.598290411f + u * 0.0776559123f))));
  const float c = 0.999999953f + u * (-4.9347928f + u * (4.05841079f + u * (-1.33187297f + u * 0.219682424f)));
  return {1.0f - 2.0f * s * s, 2.0f * s * c};
}

}  // namespace echoloop
