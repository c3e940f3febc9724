// Layout of zea's files (version 0.1.8): /tracks/track_0 with samples and transmits, /probe, and in /custom/echoloop
// the exact facts and the numbers of frames (documented in formats/base/acquisition_json.h). zea counts the time of a
// transmit from its first firing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "core/grid.h"
#include "history/hdf5_recording.h"

namespace echoloop::h5 {
namespace {

constexpr double kWaveform_hz = 250e6;  // sampling frequency of waveforms_two_way

// Numbers of one transmit; times from the first firing.
struct Firing {
  std::vector<double> delays_s;  // NaN: silent
  double first_s = 0.0;          // firing after the program's time zero
  double focus_m = std::numeric_limits<double>::infinity();
  double origin_x_m = 0.0;
  double polar_rad = 0.0;
};

// Returns the firing time of each element after time zero, NaN = silent: when the wave passes it, or the law. Of a
// source on the array its element alone fires; a beam, elements within half its aperture of the axis at z = 0.
std::vector<double> firing_times_s(const Acquisition& a, const Transmit& t, double origin_x_m) {
  constexpr double kSilent = std::numeric_limits<double>::quiet_NaN(), kOnArray_m = 1e-6;
  if (t.kind == TransmitKind::delays) return t.element_delays_s;
  const std::vector<Element>& elements = a.probe.elements;
  std::vector<double> times_s(elements.size(), kSilent);
  if (t.kind == TransmitKind::none) return times_s;
  const auto from_source_m = [&](const Element& e) { return std::hypot(e.x_m - t.source_x_m, e.z_m - t.source_z_m); };
  if (t.kind == TransmitKind::diverging) {
    const auto nearest = std::ranges::min_element(elements, {}, from_source_m);
    if (from_source_m(*nearest) < kOnArray_m) {
      times_s[static_cast<std::size_t>(nearest - elements.begin())] =
          arrival_s(t, a.probe, nearest->x_m, nearest->z_m, a.sound_speed_m_s);
      return times_s;
    }
  }
  const bool limited = t.kind == TransmitKind::focused && t.aperture_m > 0.0;
  const double reach_m = limited ? 0.5 * t.aperture_m : std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (std::abs(elements[e].x_m - origin_x_m) <= reach_m)
      times_s[e] = arrival_s(t, a.probe, elements[e].x_m, elements[e].z_m, a.sound_speed_m_s);
  return times_s;
}

Firing firing_of(const Acquisition& a, const Transmit& t, const BeamAxis* axis) {
  Firing f;
  if (t.kind == TransmitKind::plane) f.polar_rad = t.angle_rad;
  if (t.kind == TransmitKind::diverging) {
    f.focus_m = -std::hypot(t.source_x_m, t.source_z_m);
    f.polar_rad = std::atan2(-t.source_x_m, -t.source_z_m);
  }
  if (t.kind == TransmitKind::focused) {
    f.polar_rad = axis != nullptr ? std::atan2(axis->sine, axis->cosine) : std::atan2(t.source_x_m, t.source_z_m);
    f.origin_x_m = t.source_x_m - t.source_z_m * std::tan(f.polar_rad);
    f.focus_m = std::hypot(t.source_x_m - f.origin_x_m, t.source_z_m);
  }
  f.delays_s = firing_times_s(a, t, f.origin_x_m);
  double first_s = std::numeric_limits<double>::infinity();
  for (const double at_s : f.delays_s)
    if (at_s < first_s) first_s = at_s;  // not for NaN
  f.first_s = std::isfinite(first_s) ? first_s : 0.0;
  for (double& at_s : f.delays_s) at_s -= f.first_s;
  return f;
}

void write_floats(const Node& node, const std::vector<float>& values, const std::vector<hsize_t>& dims) {
  const Handle space(
      dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
      H5Sclose, node.name);
  const Handle set(
      H5Dcreate2(node.parent, node.name.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, node.name);
  check(H5Dwrite(set.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), node.name);
}

// zea reads texts of the root as variable strings only.
void set_variable_text(hid_t object, const char* attribute, const char* text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, attribute), space(H5Screate(H5S_SCALAR), H5Sclose, attribute);
  check(H5Tset_size(type.get(), H5T_VARIABLE), attribute);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), attribute);
  const Handle made(H5Acreate2(object, attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    attribute);
  check(H5Awrite(made.get(), type.get(), static_cast<const void*>(&text)), attribute);
}

void write_float(const Node& node, double value) { write_floats(node, {static_cast<float>(value)}, {}); }

// Returns the time of the pulse's peak after the firing: one period, which zea assumes without a waveform, on the
// waveform's grid.
double peak_s(const Acquisition& a) { return std::round(kWaveform_hz / a.center_hz) / kWaveform_hz; }

// Returns a Gaussian pulse of the acquisition's centre frequency and bandwidth (half amplitude; 60 % when unknown),
// whose peak is in its middle.
std::vector<float> pulse_of(const Acquisition& a) {
  const double middle_s = peak_s(a);
  const double band_hz = a.bandwidth_hz > 0.0 ? a.bandwidth_hz : 0.6 * a.center_hz;
  const double decay = std::pow(std::numbers::pi * band_hz / 2.0, 2) / std::numbers::ln2;  // 1/s^2
  std::vector<float> pulse(2 * static_cast<std::size_t>(std::lround(middle_s * kWaveform_hz)) + 1);
  for (std::size_t n = 0; n < pulse.size(); ++n) {
    const double t_s = static_cast<double>(n) / kWaveform_hz - middle_s;
    pulse[n] = static_cast<float>(std::exp(-decay * t_s * t_s) * std::cos(2.0 * std::numbers::pi * a.center_hz * t_s));
  }
  return pulse;
}

void write_scan(hid_t scan, const Acquisition& a) {
  const auto n_tx = static_cast<hsize_t>(a.n_transmits()), n_el = static_cast<hsize_t>(a.n_elements());
  const std::vector<BeamAxis> axes = all_focused(a) ? beam_axes(a) : std::vector<BeamAxis>();
  std::vector<float> delays_s, weights, initial_s, focus_m, origins_m, polar_rad, azimuth_rad(n_tx, 0.0F), waveforms;
  const std::vector<float> pulse = pulse_of(a);
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const Firing f = firing_of(a, a.transmits[k], axes.empty() ? nullptr : &axes[k]);
    for (const double at_s : f.delays_s) {
      delays_s.push_back(std::isnan(at_s) ? 0.0F : static_cast<float>(at_s));
      weights.push_back(std::isnan(at_s) ? 0.0F : 1.0F);
    }
    initial_s.push_back(static_cast<float>(a.transmits[k].t0_s - f.first_s + peak_s(a)));
    focus_m.push_back(static_cast<float>(f.focus_m));
    origins_m.insert(origins_m.end(), {static_cast<float>(f.origin_x_m), 0.0F, 0.0F});
    polar_rad.push_back(static_cast<float>(f.polar_rad));
    waveforms.insert(waveforms.end(), pulse.begin(), pulse.end());
  }
  write_float({scan, "sampling_frequency"}, a.sampling_hz);
  write_float({scan, "center_frequency"}, a.center_hz);
  write_float({scan, "demodulation_frequency"}, a.signal == SignalKind::iq ? a.demod_hz : a.center_hz);
  write_float({scan, "sound_speed"}, a.sound_speed_m_s);
  write_floats({scan, "initial_times"}, initial_s, {n_tx});
  write_floats({scan, "t0_delays"}, delays_s, {n_tx, n_el});
  write_floats({scan, "tx_apodizations"}, weights, {n_tx, n_el});
  write_floats({scan, "focus_distances"}, focus_m, {n_tx});
  write_floats({scan, "transmit_origins"}, origins_m, {n_tx, 3});
  write_floats({scan, "polar_angles"}, polar_rad, {n_tx});
  write_floats({scan, "azimuth_angles"}, azimuth_rad, {n_tx});
  write_floats({scan, "waveforms_two_way"}, waveforms, {n_tx, static_cast<hsize_t>(pulse.size())});
}

void write_probe(hid_t probe, const Acquisition& a) {
  std::vector<float> places_m;
  for (const Element& e : a.probe.elements)
    places_m.insert(places_m.end(), {static_cast<float>(e.x_m), static_cast<float>(e.y_m), static_cast<float>(e.z_m)});
  write_floats({probe, "probe_geometry"}, places_m, {static_cast<hsize_t>(a.n_elements()), 3});
  write_string({probe, "name"}, a.probe.name.empty() ? "generic" : a.probe.name);
  constexpr const char* kTypes[] = {"linear", "curved", "phased"};  // of ProbeKind
  write_string({probe, "type"}, kTypes[static_cast<std::size_t>(a.probe.kind)]);
  if (a.bandwidth_hz > 0.0) {
    write_float({probe, "probe_center_frequency"}, a.center_hz);
    write_float({probe, "probe_bandwidth_percent"}, 100.0 * a.bandwidth_hz / a.center_hz);
  }
  if (a.probe.element_width_m > 0.0) write_float({probe, "element_width"}, a.probe.element_width_m);
  if (!a.probe.lens.refracts()) return;
  write_float({probe, "lens_thickness"}, a.probe.lens.thickness_m);
  write_float({probe, "lens_sound_speed"}, a.probe.lens.sound_speed_m_s);
}

class ZeaLayout final : public Layout {
 public:
  explicit ZeaLayout(AcquisitionPtr acquisition) : a_(std::move(acquisition)) {}

  Handle write_head(hid_t file) override {
    set_variable_text(file, "zea_version", "0.1.8");
    const Handle tracks = make_group({file, "tracks"}), track = make_group({tracks.get(), "track_0"});
    make_group({track.get(), "data"});
    const Handle scan = make_group({track.get(), "scan"});
    write_scan(scan.get(), *a_);
    write_probe(make_group({file, "probe"}).get(), *a_);
    make_group({file, "metadata"});
    make_group({file, "metrics"});
    const Handle custom = make_group({file, "custom"});
    return make_group({custom.get(), "echoloop"});
  }

  SampleSets create_samples(hid_t file) override {
    const Handle data(H5Gopen2(file, "tracks/track_0/data", H5P_DEFAULT), H5Gclose, "data");
    const auto n_tx = static_cast<hsize_t>(a_->n_transmits());
    SampleSets made{.sets = {},
                    .chunk = {1, n_tx, static_cast<hsize_t>(a_->n_samples), static_cast<hsize_t>(a_->n_elements()),
                              static_cast<hsize_t>(a_->values_per_sample())}};
    const bool integers = a_->sample_type == SampleType::int16 && !is_iq();
    made.sets.push_back(
        create_growing({data.get(), "raw_data"}, integers ? H5T_STD_I16LE : H5T_IEEE_F32LE, made.chunk));
    if (a_->frame_rate_hz > 0.0) {
      const Handle scan(H5Gopen2(file, "tracks/track_0/scan", H5P_DEFAULT), H5Gclose, "scan");
      waits_ = create_growing({scan.get(), "time_to_next_transmit"}, H5T_IEEE_F32LE,
                              {std::max<hsize_t>(1024 / n_tx, 1), n_tx});
    }
    return made;
  }

  std::span<const std::byte> samples_of(std::span<const std::byte> frame, std::size_t /*set*/,
                                        std::vector<std::byte>& memory) override {
    memory.resize(is_iq() ? a_->frame_values() * sizeof(float) : frame.size());
    if (is_iq() && a_->sample_type == SampleType::int16)
      rotate<std::int16_t>(frame, memory);
    else if (is_iq())
      rotate<float>(frame, memory);
    else if (a_->sample_type == SampleType::int16)
      transpose<std::int16_t>(frame, memory);
    else
      transpose<float>(frame, memory);
    return memory;
  }

  // Writes the wait after each transmit: evenly within the frame period; the last one of a frame until the next frame,
  // once its time is known.
  void append_time(const FrameStamp& stamp) override {
    if (waits_.get() < 0) return;
    const double period_s = 1.0 / a_->frame_rate_hz, wait_s = period_s / a_->n_transmits();
    if (last_s_.has_value() && stamp.time_s > *last_s_)
      write_wait(n_frames_ - 1, std::max(stamp.time_s - *last_s_ - period_s + wait_s, 0.0));
    last_s_ = stamp.time_s;
    const auto n_tx = static_cast<hsize_t>(a_->n_transmits());
    const std::vector<hsize_t> size{++n_frames_, n_tx};
    check(H5Dset_extent(waits_.get(), size.data()), "times");
    write_waits({n_frames_ - 1, 0}, std::vector<float>(n_tx, static_cast<float>(wait_s)));
  }

  void close() override { check(waits_.close(), "times"); }

 private:
  [[nodiscard]] bool is_iq() const { return a_->signal == SignalKind::iq; }

  void write_wait(hsize_t frame, double wait_s) {
    write_waits({frame, static_cast<hsize_t>(a_->n_transmits() - 1)}, {static_cast<float>(wait_s)});
  }

  void write_waits(const std::vector<hsize_t>& first, const std::vector<float>& waits_s) {
    const std::vector<hsize_t> count{1, waits_s.size()};
    const Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, "times");
    const Handle space(H5Dget_space(waits_.get()), H5Sclose, "times");
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), "times");
    check(H5Dwrite(waits_.get(), H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, waits_s.data()), "times");
  }

  // Calls `each(transmit, from, to)` for the places of each sample in [transmit][element][sample] and in
  // [transmit][sample][element], in blocks that fit the cache.
  template <class Each>
  void for_each_sample(Each each) const {
    constexpr std::size_t kBlock = 32;
    const auto n_el = static_cast<std::size_t>(a_->n_elements()), n = static_cast<std::size_t>(a_->n_samples);
    for (std::size_t k = 0; k < a_->transmits.size(); ++k) {
      const std::size_t base = k * n_el * n;
      for (std::size_t e0 = 0; e0 < n_el; e0 += kBlock)
        for (std::size_t i0 = 0; i0 < n; i0 += kBlock)
          for (std::size_t e = e0; e < std::min(e0 + kBlock, n_el); ++e)
            for (std::size_t i = i0; i < std::min(i0 + kBlock, n); ++i) each(k, base + e * n + i, base + i * n_el + e);
    }
  }

  template <class Value>
  void transpose(std::span<const std::byte> frame, std::vector<std::byte>& to) const {
    const auto* from = reinterpret_cast<const Value*>(frame.data());
    auto* out = reinterpret_cast<Value*>(to.data());
    for_each_sample([=](std::size_t /*k*/, std::size_t at, std::size_t place) { out[place] = from[at]; });
  }

  // From the clock of time zero to zea's, which begins with sample 0.
  template <class Value>
  void rotate(std::span<const std::byte> frame, std::vector<std::byte>& to) const {
    const auto* from = reinterpret_cast<const Value*>(frame.data());
    auto* out = reinterpret_cast<float*>(to.data());
    std::vector<std::pair<float, float>> turns;
    for (const Transmit& t : a_->transmits) {
      const double turn_rad = 2.0 * std::numbers::pi * a_->demod_hz * t.t0_s;
      turns.emplace_back(static_cast<float>(std::cos(turn_rad)), static_cast<float>(std::sin(turn_rad)));
    }
    for_each_sample([&](std::size_t k, std::size_t at, std::size_t place) {
      const auto re = static_cast<float>(from[2 * at]), im = static_cast<float>(from[2 * at + 1]);
      const auto [cosine, sine] = turns[k];
      out[2 * place] = re * cosine - im * sine;
      out[2 * place + 1] = re * sine + im * cosine;
    });
  }

  const AcquisitionPtr a_;
  Handle waits_;
  hsize_t n_frames_ = 0;
  std::optional<double> last_s_;  // of the frame before
};

}  // namespace

std::unique_ptr<Layout> make_zea_layout(AcquisitionPtr acquisition) {
  return std::make_unique<ZeaLayout>(std::move(acquisition));
}

}  // namespace echoloop::h5
