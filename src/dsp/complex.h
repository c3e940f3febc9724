// A complex float that both compilers lay out alike: (re, im), 8 bytes, aligned so that one load fetches the pair.
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

}  // namespace echoloop
