// Weight between the Wiener post-filter and the coherence factor. A method of Echoloop in one file:
//   echoloop --method wiener.h          compiled at the start, and again at every save
//
// A method turns the channels of one pixel into the pixel. Delays, phases, apertures and threads are the program's; it
// calls the functor below once a pixel. Two forms are possible:
//   sums     the functor has Sums, add() and weight() (or pixel(), if it replaces delay-and-sum): fast, in loops along
//            the pixels; this file
//   channels operator()(channels) reads each sample x(element, transmit) itself: delay_and_sum.h
#include "dsp/methods/own.h"

namespace echoloop {

// Sliders, and --set own.strength=0.5. At most eight: name, unit, least, greatest, default, help.
ECHO_PARAMETER(strength, "", 0, 1, 0.5, "0: Wiener post-filter, 1: coherence factor")

struct Wiener {
  static constexpr bool counts = false;        // true: add_turned() is called with each channel's place
  static constexpr bool replaces = false;      // true: pixel(sums) is the complex pixel; false: weight() is its factor
  static constexpr bool reads_phases = false;  // of single channels
  float strength;
  AdaptiveAxis axis;    // channels: elements, transmits or both, as chosen in the panel
  AdaptiveOrder order;  // elements: before or after the sum over transmits

  // What is summed over the channels of a pixel; floats only.
  struct Sums {
    float weights = 0.0f;
    float energy = 0.0f;
  };

  // Adds a channel s of weight w.
  ECHO_HD void add(Sums& sums, float w, Complex s, ChannelPlace /*at*/) const {
    sums.weights += fabsf(w);
    sums.energy += fabsf(w) * (s.re * s.re + s.im * s.im);
  }

  // Returns the factor of the amplitude, from the sums, the weighted sum of the n channels, and n.
  [[nodiscard]] ECHO_HD float weight(const Sums& sums, Complex sum, float n) const {
    const float most = sums.weights * sums.energy;
    if (!(most > 0.0f)) return 0.0f;
    const float f = share_of_equal((sum.re * sum.re + sum.im * sum.im) / most, n);  // coherence factor
    return n * f / (n * f + powf(n, strength) * (1.0f - f));
  }

  template <class Channels>
  ECHO_HD MethodPixel operator()(const Channels& channels) const {
    return form_pixel(*this, channels);
  }
};

template <class Run>
void run_method(MethodTag<Adaptive::own>, const MethodSettings& s, const Run& run) {
  run(Wiener{s.own[strength], s.axis, s.order});
}

}  // namespace echoloop
