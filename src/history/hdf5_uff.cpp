// Layout of USTB's UFF: /channel_data with one object for each fact, and /echoloop with facts that UFF lacks
// (documented in formats/base/acquisition_json.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "history/hdf5_recording.h"

namespace echoloop::h5 {
namespace {

// Extracts every second value of (I, Q) pairs.
template <class Value>
void take_part(std::span<const std::byte> pairs, std::size_t part, std::vector<std::byte>& out) {
  out.resize(pairs.size() / 2);
  const auto* from = reinterpret_cast<const Value*>(pairs.data()) + part;
  auto* to = reinterpret_cast<Value*>(out.data());
  for (std::size_t i = 0; i < out.size() / sizeof(Value); ++i) to[i] = from[2 * i];
}

// uff.wavefront
constexpr double kPlane = 0.0;
constexpr double kSpherical = 1.0;

struct Source {
  double wavefront = kPlane;
  double distance_m = std::numeric_limits<double>::infinity();
  double azimuth_rad = 0.0;
};

// Fits the plane wave with delays x sin(a) / c, as UFF has no explicit delays. Our reader uses the exact ones.
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
    case TransmitKind::none:
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

// Returns the delay to write. Other readers rotate IQ by the phase of the clock initial_time + n / fs, without the
// delay; ours was demodulated at the true time of each sample and is written unchanged. With a delay of whole periods
// both are equal: the nearest is written, so that the transmits stay in phase and envelopes are off by at most c / (4
// f) of depth. Our own reader has the exact times from /echoloop.
//
// USTB treats a source from 1 mm behind z = 0 on as one in front of the array, whose wave comes |s|/c after time zero:
// single elements have delays 2 |s|/c longer.
double written_delay_s(const Transmit& transmit, const Acquisition& a) {
  constexpr double kInFront_m = -1e-3;
  const bool in_front = transmit.kind == TransmitKind::diverging && transmit.source_z_m >= kInFront_m;
  const double away_s = std::hypot(transmit.source_x_m, transmit.source_z_m) / a.sound_speed_m_s;
  const double delay_s = transmit.t0_s - a.transmits.front().t0_s + (in_front ? 2.0 * away_s : 0.0);
  if (a.signal != SignalKind::iq || a.demod_hz <= 0.0) return delay_s;
  return std::round(delay_s * a.demod_hz) / a.demod_hz;
}

// Writes a wave; time of its samples: initial_time + n / fs + delay, with USTB's sign.
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
  if (a.transmits.size() == 1) {  // MATLAB has no array of one
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

class UffLayout final : public Layout {
 public:
  explicit UffLayout(AcquisitionPtr acquisition) : a_(std::move(acquisition)) {}

  Handle write_head(hid_t file) override {
    set_texts(file, "version", "v1.2.0");  // of UFF
    const Handle data = make_object({file, "channel_data"}, "uff.channel_data");
    write_number({data.get(), "sampling_frequency"}, a_->sampling_hz);
    write_number({data.get(), "initial_time"}, a_->transmits.front().t0_s);
    write_number({data.get(), "sound_speed"}, a_->sound_speed_m_s);
    write_number({data.get(), "modulation_frequency"}, is_iq() ? a_->demod_hz : 0.0);
    write_probe(data.get(), a_->probe);
    write_sequence(data.get(), *a_);
    write_pulse(data.get(), *a_);
    return make_group({file, "echoloop"});
  }

  SampleSets create_samples(hid_t file) override {
    const Handle channel_data(H5Gopen2(file, "channel_data", H5P_DEFAULT), H5Gclose, "channel_data");
    const hid_t type = a_->sample_type == SampleType::int16 ? H5T_STD_I16LE : H5T_IEEE_F32LE;
    SampleSets made{.sets = {},
                    .chunk = {1, static_cast<hsize_t>(a_->n_transmits()), static_cast<hsize_t>(a_->n_elements()),
                              static_cast<hsize_t>(a_->n_samples)}};
    // `class` is single also for int16 data: USTB's reader supports no other numbers, and accepts the stored type.
    if (!is_iq()) {
      made.sets.push_back(create_growing({channel_data.get(), "data"}, type, made.chunk));
      mark_numbers(made.sets.back().get(), "data", "single");
      return made;
    }
    const Handle data = make_group({channel_data.get(), "data"});
    set_text(data.get(), "class", "single");
    set_text(data.get(), "name", "data");
    set_number(data.get(), "complex", 1.0);
    for (const char* part : {"real", "imag"}) {
      made.sets.push_back(create_growing({data.get(), part}, type, made.chunk));
      set_text(made.sets.back().get(), "class", "single");
      set_text(made.sets.back().get(), "name", part);
      set_number(made.sets.back().get(), "imaginary", part[0] == 'i' ? 1.0 : 0.0);
    }
    return made;
  }

  std::span<const std::byte> samples_of(std::span<const std::byte> frame, std::size_t set,
                                        std::vector<std::byte>& memory) override {
    if (!is_iq()) return frame;
    if (a_->sample_type == SampleType::int16)
      take_part<std::int16_t>(frame, set, memory);
    else
      take_part<std::uint32_t>(frame, set, memory);  // bits, independent of the type
    return memory;
  }

 private:
  [[nodiscard]] bool is_iq() const { return a_->signal == SignalKind::iq; }

  const AcquisitionPtr a_;
};

}  // namespace

std::unique_ptr<Layout> make_uff_layout(AcquisitionPtr acquisition) {
  return std::make_unique<UffLayout>(std::move(acquisition));
}

}  // namespace echoloop::h5
