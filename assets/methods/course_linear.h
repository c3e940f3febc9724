// Kernel of the GPU short course, 1 of 3: delay-and-sum with linear interpolation between two samples, here written
// out. The course sums all elements with weight 1: --set f_number=0,apodization=boxcar.
// Time of a pixel (128 elements, 3 plane waves, F 1.5): 18.3 us of a core with AVX-512. H200: 3.2 ns.
#include "dsp/methods/own.h"

namespace echoloop {

struct CourseLinear {
  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    Complex sum{0.0f, 0.0f};
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const auto transmit = channels.transmit(t);
      for (int e = 0; e < channels.n_elements(); ++e) {
        auto element = channels.element(e);
        const float place = transmit.excess + element.excess;  // samples
        const float whole = floorf(place);
        const float rest = place - whole;
        element.excess = whole - transmit.excess;
        const Complex before = channels.sample(transmit, element).value;
        element.excess += 1.0f;
        const Complex after = channels.sample(transmit, element).value;
        sum = sum + transmit.weight * element.weight * ((1.0f - rest) * before + rest * after);
      }
    }
    return {sum, 1.0f};
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& /*s*/, const Run& run) {
  run(CourseLinear{});
}

}  // namespace echoloop
