// Delay-and-sum as two loops over the channels of a pixel: the kernel of a first lesson. Each sample is already delayed
// and turned by its phase; weights are those of the apertures.
#include "dsp/methods/own.h"

namespace echoloop {

struct DelayAndSum {
  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    Complex sum{0.0f, 0.0f};
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const auto transmit = channels.transmit(t);
      for (int e = 0; e < channels.n_elements(); ++e) {
        const auto element = channels.element(e);
        sum = sum + transmit.weight * element.weight * channels.sample(transmit, element).value;
      }
    }
    return {sum, 1.0f};  // pixel, and the factor of its amplitude
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& /*s*/, const Run& run) {
  run(DelayAndSum{});
}

}  // namespace echoloop
