// Kernel of the GPU short course, 2 of 3: the nearest sample instead of an interpolation. One sample is read per
// channel; its phase is still that of the exact delay.
// Time of a pixel (128 elements, 3 plane waves, F 1.5): 12.5 us of a core with AVX-512. H200: 2.6 ns.
#include "dsp/methods/own.h"

namespace echoloop {

struct CourseNearest {
  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    Complex sum{0.0f, 0.0f};
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const auto transmit = channels.transmit(t);
      for (int e = 0; e < channels.n_elements(); ++e) {
        auto element = channels.element(e);
        element.excess = floorf(transmit.excess + element.excess + 0.5f) - transmit.excess;  // samples
        sum = sum + transmit.weight * element.weight * channels.sample(transmit, element).value;
      }
    }
    return {sum, 1.0f};
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& /*s*/, const Run& run) {
  run(CourseNearest{});
}

}  // namespace echoloop
