// Delay-and-sum with a fault to find: the elements beyond x = 0 are read `late` samples late, so that the image blurs.
// 0 is right. For lessons: which way do the echoes move, and why does the middle of the array matter?
#include "dsp/methods/own.h"

namespace echoloop {

ECHO_PARAMETER(late, "samples", 0, 20, 14, "delay of the right half of the array")

struct LateHalf {
  float samples;

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    Complex sum{0.0f, 0.0f};
    const int half = channels.n_elements() / 2;
    for (int t = 0; t < channels.n_transmits(); ++t) {
      const auto transmit = channels.transmit(t);
      for (int e = 0; e < channels.n_elements(); ++e) {
        auto element = channels.element(e);
        if (e >= half) element.excess += samples;
        sum = sum + transmit.weight * element.weight * channels.sample(transmit, element).value;
      }
    }
    return {sum, 1.0f};
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& s, const Run& run) {
  run(LateHalf{s.own[late]});
}

}  // namespace echoloop
