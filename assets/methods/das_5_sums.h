// Delay-and-sum in five steps, 5 of 5: the form of sums. The loops are the program's: on the CPU along the pixels of a
// row, so that one instruction adds a channel of 4 to 16 pixels.
// Time of a pixel (128 elements, 3 plane waves, F 1.5): 0.94 us of a core with AVX-512. H200: 1.7 ns.
#include "dsp/methods/own.h"

namespace echoloop {

struct InSums {
  static constexpr bool counts = false;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = false;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;

  struct Sums {};  // the program sums the weighted channels; delay-and-sum needs no other sum

  ECHO_HD void add(Sums& /*sums*/, float /*weight*/, Complex /*s*/, ChannelPlace /*at*/) const {}
  [[nodiscard]] ECHO_HD float weight(const Sums& /*sums*/, Complex /*sum*/, float /*n*/) const { return 1.0f; }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& /*s*/, const Run& run) {
  run(InSums{});
}

}  // namespace echoloop
