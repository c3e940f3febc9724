#include "history/uff_head.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "formats/base/acquisition_json.h"
#include "history/uff_nodes.h"

namespace echoloop::uff {
namespace {

// uff.wavefront
constexpr double kPlane = 0.0;
constexpr double kSpherical = 1.0;

struct Source {
  double wavefront = kPlane;
  double distance_m = std::numeric_limits<double>::infinity();
  double azimuth_rad = 0.0;
};

// UFF has no explicit delays: the plane wave whose delays x sin(a) / c come closest. Our reader takes the exact ones.
double fitted_angle_rad(const Transmit& transmit, const Acquisition& a) {
  double n = 0.0, x_sum = 0.0, t_sum = 0.0, xx = 0.0, xt = 0.0;
  for (std::size_t e = 0; e < transmit.element_delays_s.size(); ++e) {
    const double t = transmit.element_delays_s[e];
    if (std::isnan(t)) continue;
    const double x = a.probe.elements[e].x_m;
    n += 1.0, x_sum += x, t_sum += t, xx += x * x, xt += x * t;
  }
  const double spread = n * xx - x_sum * x_sum;
  if (spread <= 0.0) return 0.0;
  const double slope = (n * xt - x_sum * t_sum) / spread;
  return std::asin(std::clamp(slope * a.sound_speed_m_s, -1.0, 1.0));
}

Source source_of(const Transmit& transmit, const Acquisition& a) {
  switch (transmit.kind) {
    case TransmitKind::plane:
      return {.azimuth_rad = transmit.angle_rad};
    case TransmitKind::diverging:
    case TransmitKind::focused:
      return {.wavefront = kSpherical,
              .distance_m = std::hypot(transmit.source_x_m, transmit.source_z_m),
              .azimuth_rad = std::atan2(transmit.source_x_m, transmit.source_z_m)};
    case TransmitKind::delays:
      break;
  }
  return {.azimuth_rad = fitted_angle_rad(transmit, a)};
}

void write_probe(hid_t channel_data, const Probe& probe) {
  const Handle group = make_object({channel_data, "probe"}, "uff.probe");
  const std::size_t n = probe.elements.size();
  std::vector<float> geometry(7 * n, 0.0F);  // x y z theta phi width height, each for all elements
  for (std::size_t e = 0; e < n; ++e) {
    geometry[e] = static_cast<float>(probe.elements[e].x_m);
    geometry[2 * n + e] = static_cast<float>(probe.elements[e].z_m);
    geometry[3 * n + e] = static_cast<float>(probe.elements[e].normal_rad);
    geometry[5 * n + e] = static_cast<float>(probe.element_width_m);
  }
  write_numbers({group.get(), "geometry"}, geometry, {7, n});
}

// Other readers turn IQ by the phase of the clock initial_time + n / fs, without the delay; ours was demodulated at the
// true time of each sample and is written as it is. With a delay of whole periods the two are one: the nearest is
// written, so that the transmits stay in phase and envelopes are off by c / (4 f) of depth at most. Our own reader has
// the exact times from /echoloop.
//
// USTB takes a source from 1 mm behind z = 0 on for one in front of the array, whose wave comes |s|/c after time zero:
// single elements have delays 2 |s|/c longer.
double written_delay_s(const Transmit& transmit, const Acquisition& a) {
  constexpr double kInFront_m = -1e-3;
  const bool in_front = transmit.kind == TransmitKind::diverging && transmit.source_z_m >= kInFront_m;
  const double away_s = std::hypot(transmit.source_x_m, transmit.source_z_m) / a.sound_speed_m_s;
  const double delay_s = transmit.t0_s - a.transmits.front().t0_s + (in_front ? 2.0 * away_s : 0.0);
  if (a.signal != SignalKind::iq || a.demod_hz <= 0.0) return delay_s;
  return std::round(delay_s * a.demod_hz) / a.demod_hz;
}

// The time of a wave's samples is initial_time + n / fs + delay: USTB's sign.
void write_wave(hid_t wave, const Transmit& transmit, const Acquisition& a) {
  const Source source = source_of(transmit, a);
  write_number({wave, "wavefront"}, source.wavefront, "uff.wavefront");
  const Handle point = make_object({wave, "source"}, "uff.point");
  write_number({point.get(), "distance"}, source.distance_m);
  write_number({point.get(), "azimuth"}, source.azimuth_rad);
  write_number({point.get(), "elevation"}, 0.0);
  write_number({wave, "sound_speed"}, a.sound_speed_m_s);
  write_number({wave, "delay"}, written_delay_s(transmit, a));
}

void write_sequence(hid_t channel_data, const Acquisition& a) {
  const std::string name = "sequence";
  if (a.transmits.size() == 1) {  // MATLAB knows no array of one
    const Handle wave = make_object({channel_data, name}, "uff.wave");
    write_wave(wave.get(), a.transmits.front(), a);
    return;
  }
  const Handle array = make_array({channel_data, name}, "uff.wave", a.transmits.size());
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    const Handle wave = make_object({array.get(), member_name(name, i)}, "uff.wave");
    write_wave(wave.get(), a.transmits[i], a);
  }
}

void write_pulse(hid_t channel_data, const Acquisition& a) {
  const Handle pulse = make_object({channel_data, "pulse"}, "uff.pulse");
  write_number({pulse.get(), "center_frequency"}, a.center_hz);
  if (a.bandwidth_hz > 0.0) write_number({pulse.get(), "fractional_bandwidth"}, a.bandwidth_hz / a.center_hz);
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", ::localtime_r(&now, &parts));
  return text.data();
}

}  // namespace

void write_head(hid_t file, const Acquisition& a, const About& about) {
  set_texts(file, "version", "v1.2.0");  // of UFF
  const Handle data = make_object({file, "channel_data"}, "uff.channel_data");
  write_number({data.get(), "sampling_frequency"}, a.sampling_hz);
  write_number({data.get(), "initial_time"}, a.transmits.front().t0_s);
  write_number({data.get(), "sound_speed"}, a.sound_speed_m_s);
  write_number({data.get(), "modulation_frequency"}, a.signal == SignalKind::iq ? a.demod_hz : 0.0);
  write_probe(data.get(), a.probe);
  write_sequence(data.get(), a);
  write_pulse(data.get(), a);

  const Handle own = make_group({file, "echoloop"});
  set_text(own.get(), "version", about.version);
  set_text(own.get(), "recorded_at", local_time());
  write_string({own.get(), "acquisition"}, acquisition_to_json(a));
  write_string({own.get(), "parameters"}, about.parameters);
}

}  // namespace echoloop::uff
