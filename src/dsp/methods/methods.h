// All adaptive methods by value. method_headers.h includes every other header of this folder: CMake lists them.
#pragma once

#include <utility>

#include "core/adaptive.h"
#include "method_headers.h"

namespace echoloop {

template <Adaptive method, class Run>
void run_if_chosen(const MethodSettings& settings, const Run& run) {
  if constexpr (method != Adaptive::off && method != Adaptive::own && !reads_rows(method)) {
    if (settings.method == method) run_method(MethodTag<method>(), settings, run);
  }
}

// Calls run(functor) if the method needs only the pixel's own channels. Methods that read rows, and own ones, have
// executors' functions of their own.
template <class Run>
void with_method(const MethodSettings& settings, const Run& run) {
  [&]<int... value>(std::integer_sequence<int, value...>) {
    (run_if_chosen<static_cast<Adaptive>(value)>(settings, run), ...);
  }
  (std::make_integer_sequence<int, static_cast<int>(kAdaptiveRows.size())>());
}

// Returns true if the pixels are coherences in [-1, 1], whose level is fixed.
inline bool is_coherence(const MethodSettings& settings) {
  return row_of(settings.method).result == MethodResult::coherence || settings.own_rows == OwnRows::coherence;
}

// Returns the envelope's view of a method's pixels; `weights` of the method may be null.
inline WeighedPixels read_pixels(const MethodSettings& settings, const Complex* pixels, const float* weights) {
  if (settings.shows_factor) return {pixels, weights, PixelReading::factor};
  if (is_coherence(settings)) return {pixels, nullptr, PixelReading::coherence};
  return {pixels, is_weight(settings.method) ? weights : nullptr, PixelReading::amplitude};
}

}  // namespace echoloop
