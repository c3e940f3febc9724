// Channels of one pixel for a method (dsp/methods/method.h), with the delays, weights and interpolation of das_pixel().
#pragma once

#include "dsp/das_geometry.h"
#include "dsp/methods/method.h"

namespace echoloop {

template <DasForm form>
class DasChannels {
 public:
  struct Element {
    float weight;
    float excess;  // samples
    Complex turn;
    int index;
  };
  struct Transmit {
    float weight;
    float excess;  // samples beyond base
    Complex turn;
    int transmit;  // -1: none
    int base;      // samples
  };

  // lines: [n_tx][n_el][n_line]; both must outlive the object.
  ECHO_HD DasChannels(const DasGeometry& geometry, const Complex* lines, int ix, int iz)
      : geometry_(geometry), lines_(lines), ix_(ix), iz_(iz), at_(place_of(geometry, ix, iz)) {}

  [[nodiscard]] ECHO_HD int n_elements() const { return geometry_.n_el; }
  [[nodiscard]] ECHO_HD int n_transmits() const { return geometry_.n_tx; }

  [[nodiscard]] ECHO_HD Element element(int e) const {
    const ReceiveTerm rx = receive_term<form>(geometry_, geometry_.elements[e], at_);
    return {rx.weight, rx.excess, unit_phasor(rx.excess * geometry_.turns_per_sample), e};
  }

  [[nodiscard]] ECHO_HD Transmit transmit(int t) const {
    const TransmitPlace place = transmit_place<form>(geometry_, t, ix_, iz_);
    const float turns = transmit_turns<form>(geometry_, t, ix_, iz_, place.excess);
    return {transmit_weight<form>(geometry_, t, ix_, iz_), place.excess, unit_phasor(turns), place.transmit,
            place.base};
  }

  [[nodiscard]] ECHO_HD bool recorded(const Transmit& t, const Element& e) const {
    return t.transmit >= 0 && is_recorded(geometry_.n_valid, t.base, t.excess + e.excess);
  }

  [[nodiscard]] ECHO_HD ChannelSample sample(const Transmit& t, const Element& e) const {
    if (!recorded(t, e)) return {{0.0f, 0.0f}, false};
    const Complex* line = lines_ + (static_cast<long long>(t.transmit) * geometry_.n_el + e.index) * geometry_.n_line;
    return {t.turn * e.turn * interpolate(line, geometry_.n_valid, t.base, t.excess + e.excess), true};
  }

 private:
  const DasGeometry& geometry_;
  const Complex* lines_;
  int ix_, iz_;
  PixelPlace at_;
};

// Returns the term of das_pixel() of one element, summed over the transmits; `transmit`: pixel.transmit(t), or what is
// kept of it.
template <class TransmitAt>
ECHO_HD Complex channel_of_pixel(const DasChannels<DasForm::general>& pixel, int e, const TransmitAt& transmit) {
  const auto element = pixel.element(e);
  Complex sum{0.0f, 0.0f};
  for (int t = 0; element.weight != 0.0f && t < pixel.n_transmits(); ++t)
    sum = sum + transmit(t).weight * pixel.sample(transmit(t), element).value;
  return element.weight * sum;
}

}  // namespace echoloop
