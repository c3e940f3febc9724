// Kernel of the GPU short course, 3 of 3: what all threads read at the same time lies in constant memory. The program
// keeps the geometry there; a file adds tables that are computed when it is compiled: here a window over the elements.
// Change window(): the image of 1 is that of delay-and-sum.
// Time of a pixel (128 elements, 3 plane waves, F 1.5): 12.7 us of a core with AVX-512. H200: 3.0 ns.
#include "dsp/methods/own.h"

#if defined(__CUDACC__)
#define IN_CONSTANT_MEMORY __constant__
#else
#define IN_CONSTANT_MEMORY
#endif

namespace echoloop {

// u: -1 to 1 along the array. 1 - u * u: Welch.
constexpr float window(float /*u*/) { return 1.0f; }

constexpr int kPlaces = 128;
struct Windows {
  float at[kPlaces];
};
constexpr Windows make_windows() {
  Windows made{};
  for (int i = 0; i < kPlaces; ++i) made.at[i] = window((2.0f * static_cast<float>(i) + 1.0f) / kPlaces - 1.0f);
  return made;
}
IN_CONSTANT_MEMORY constexpr Windows windows = make_windows();

struct CourseConstant {
  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    Complex sum{0.0f, 0.0f};
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const auto transmit = channels.transmit(t);
      for (int e = 0; e < channels.n_elements(); ++e) {
        const auto element = channels.element(e);
        const float weight = element.weight * windows.at[e * kPlaces / channels.n_elements()];
        sum = sum + transmit.weight * weight * channels.sample(transmit, element).value;
      }
    }
    return {sum, 1.0f};
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& /*s*/, const Run& run) {
  run(CourseConstant{});
}

}  // namespace echoloop
