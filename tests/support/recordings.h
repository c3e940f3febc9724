// One acquisition of every kind that can be recorded, with numbers that a single cannot represent exactly.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "support/acquisitions.h"

namespace echoloop::testing {

struct NamedAcquisition {
  std::string name;
  Acquisition acquisition;
};

inline Transmit source_at(TransmitKind kind, double x_m, double z_m) {
  Transmit transmit;
  transmit.kind = kind;
  transmit.source_x_m = x_m;
  transmit.source_z_m = z_m;
  return transmit;
}

// Returns the bits of one frame, which need not be numbers.
inline std::vector<std::byte> any_bits(const Acquisition& a, unsigned seed) {
  std::vector<std::byte> bytes = to_bytes(noise(a.frame_bytes() / sizeof(float) + 1, seed));
  bytes.resize(a.frame_bytes());
  return bytes;
}

inline std::vector<NamedAcquisition> every_kind_of_acquisition() {
  Acquisition plane = linear_acquisition(6, 40, {-12.3, 0.0, 7.1});
  plane.transmits[1].t0_s = 1.0 / 3.0 * 1e-6;
  plane.assumptions = {"the sound speed, 1540 m/s"};
  plane.sound_speed_m_s = 1480.1;
  Acquisition integers = plane;
  integers.sample_type = SampleType::int16;
  Acquisition one = linear_acquisition(4, 33);
  one.bandwidth_hz = one.frame_rate_hz = 0.0;
  Acquisition diverging = convex_acquisition(5, 30);
  diverging.transmits = {source_at(TransmitKind::diverging, -3.3e-3, -20.1e-3),
                         source_at(TransmitKind::diverging, 3.3e-3, -20.1e-3)};
  diverging.transmits[1].t0_s = -1e-7;
  Acquisition focused = linear_acquisition(5, 30);
  focused.probe.kind = ProbeKind::phased;
  focused.probe.name = "P4 \"phased\"";
  focused.transmits = {source_at(TransmitKind::focused, 1.0 / 3.0 * 1e-2, 30.1e-3)};
  Acquisition delays = linear_acquisition(4, 30);
  const double silent = std::numeric_limits<double>::quiet_NaN();
  delays.transmits = {
      {.kind = TransmitKind::delays, .element_delays_s = {silent, 1.0 / 3.0 * 1e-7, 2.2e-7, silent}, .t0_s = 2e-6},
      {.kind = TransmitKind::delays, .element_delays_s = {-1e-7, 0.0, 1e-7, 2e-7}}};
  Acquisition iq = plane;
  iq.signal = SignalKind::iq;
  iq.demod_hz = 5e6 / 3.0;
  Acquisition integer_iq = iq;
  integer_iq.sample_type = SampleType::int16;
  return {{"plane", plane},     {"integers", integers}, {"one", one}, {"diverging", diverging},
          {"focused", focused}, {"delays", delays},     {"iq", iq},   {"integer_iq", integer_iq}};
}

}  // namespace echoloop::testing
