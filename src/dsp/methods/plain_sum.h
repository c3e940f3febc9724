// Delay-and-sum by the loops of the methods: p-DAS of root 1. Baseline for the cost of a method beyond the sum.
#pragma once

#include "dsp/methods/channel_sums.h"

namespace echoloop {

struct PlainSum {
  static constexpr bool counts = false;
  static constexpr bool replaces = false;
  static constexpr bool reads_phases = false;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
  AdaptiveAxis axis = AdaptiveAxis::elements;

  struct Sums {};

  ECHO_HD void add(Sums& /*sums*/, float /*weight*/, Complex /*s*/, ChannelPlace /*at*/) const {}
  [[nodiscard]] ECHO_HD float weight(const Sums& /*sums*/, Complex /*sum*/, float /*n*/) const { return 1.0f; }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

}  // namespace echoloop
