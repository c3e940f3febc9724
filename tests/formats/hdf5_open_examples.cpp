// Valid examples of hdf5_fixture.h: URX and photoacoustics of IPASC.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "formats/hdf5_fixture.h"

namespace echoloop::test {
namespace {

const DatasetPlan kReal64{.type = H5T_IEEE_F64LE, .chunk = {}};
const DatasetPlan kIndex{.type = H5T_STD_U64LE, .chunk = {}};

std::string numbered(const std::string& group, int number) {
  char text[16];
  std::snprintf(text, sizeof text, "/%08d", number);
  return group + text;
}

void urx_element(Hdf5Fixture& file, const std::string& path, double x_m) {
  for (const char* const axis : {"x", "y", "z"}) {
    file.numbers(path + "/transform/translation/" + axis, {}, {*axis == 'x' ? x_m : 0.0}, kReal64);
    file.numbers(path + "/transform/rotation/" + axis, {}, {0.0}, kReal64);
  }
}

}  // namespace

void urx_setup(Hdf5Fixture& file, const std::string& path, const std::vector<int>& elements, double time_offset_s) {
  file.group(path + "/active_elements");
  for (int c = 0; c < static_cast<int>(elements.size()); ++c)
    file.numbers(numbered(path + "/active_elements", c), {1},
                 {static_cast<double>(elements[static_cast<std::size_t>(c)])}, {.type = H5T_STD_U32LE, .chunk = {}});
  file.numbers(path + "/probe", {}, {0}, kIndex);
  file.numbers(path + "/time_offset", {}, {time_offset_s}, kReal64);
}

std::string urx_event(int group, int event) {
  return numbered(numbered("dataset/acquisition/groups", group) + "/sequence", event);
}

void urx_group(Hdf5Fixture& file, int number, const std::string& label, const Extents& n) {
  const std::string group = numbered("dataset/acquisition/groups", number);
  const std::string data = numbered("dataset/acquisition/groups_data", number);
  file.text(group + "/description", label);
  file.text(group + "/sampling_type", n.values == 2 ? "IQ" : "RF");
  file.numbers(group + "/sound_speed", {}, {kSpeed_m_s}, kReal64);
  std::vector<int> all;
  for (int e = 0; e < n.elements; ++e) all.push_back(e);
  for (int k = 0; k < n.transmits; ++k) {
    std::vector<double> delays_s;
    for (int e = 0; e < n.elements; ++e)
      delays_s.push_back((e - 0.5 * (n.elements - 1)) * kPitch_m *
                         std::sin(wave_angles(n.transmits)[static_cast<std::size_t>(k)]) / kSpeed_m_s);
    const double first_s = *std::ranges::min_element(delays_s);
    for (double& delay_s : delays_s) delay_s -= first_s;
    const std::string event = urx_event(number, k), transmit = event + "/transmit_setup";
    urx_setup(file, transmit, all, 1e-6);
    file.numbers(transmit + "/delays", {delays_s.size()}, delays_s, kReal64);
    file.group(transmit + "/excitations");
    for (int e = 0; e < n.elements; ++e) file.numbers(numbered(transmit + "/excitations", e), {}, {0}, kIndex);
    urx_setup(file, event + "/receive_setup", all, 3e-6 - first_s);
    file.numbers(event + "/receive_setup/sampling_frequency", {}, {kSampling_hz}, kReal64);
    file.numbers(event + "/receive_setup/modulation_frequency", {}, {n.values == 2 ? kCenter_hz : 0.0}, kReal64);
    file.numbers(event + "/receive_setup/number_samples", {}, {static_cast<double>(n.samples)},
                 {.type = H5T_STD_U32LE, .chunk = {}});
  }
  std::vector<double> times_s;
  for (int f = 0; f < n.frames; ++f) times_s.push_back(1e-3 * f);
  const std::vector<double> samples = sample_table(n.values == 2 ? "fteiq" : "ftei", n);
  const auto n_values = static_cast<hsize_t>(n.values);
  file.numbers(data + "/group", {}, {static_cast<double>(number)}, kIndex);
  file.numbers(data + "/group_timestamp", {}, {0.0}, kReal64);
  file.numbers(data + "/sequence_timestamps", {times_s.size()}, times_s, kReal64);
  file.numbers(data + "/raw_data", {samples.size() / n_values, n_values}, samples,
               {.type = n.values == 2 ? H5T_IEEE_F32LE : H5T_STD_I16LE, .chunk = {}});
}

void write_urx(Hdf5Fixture& file, const Extents& n) {
  for (const auto& [name, value] : {std::pair{"major", 1.0}, {"minor", 4.0}, {"patch", 0.0}})
    file.numbers(std::string("dataset/version/") + name, {}, {value}, {.type = H5T_STD_U16LE, .chunk = {}});
  const std::string probe = "dataset/acquisition/probes/00000000";
  file.text(probe + "/type", "LINEAR");
  for (int e = 0; e < n.elements; ++e)
    urx_element(file, numbered(probe + "/elements", e), (e - 0.5 * (n.elements - 1)) * kPitch_m);
  const std::string excitation = "dataset/acquisition/excitations/00000000";
  file.numbers(excitation + "/transmit_frequency", {}, {kCenter_hz}, kReal64);
  file.numbers(excitation + "/sampling_frequency", {}, {kSampling_hz}, kReal64);
  urx_group(file, 0, "waves", n);
}

void write_ipasc(Hdf5Fixture& file, const Extents& n) {
  file.numbers("binary_time_series_data", sample_dims("eitf", n), sample_table("eitf", n));
  file.number("meta_data/ad_sampling_rate", kSampling_hz);
  file.number("meta_data/speed_of_sound", kSpeed_m_s);
  std::vector<double> lengths_m, times_s;
  for (int k = 0; k < n.transmits; ++k) lengths_m.push_back(750e-9 + 50e-9 * k);
  for (int f = 0; f < n.frames; ++f) times_s.push_back(0.1 * f);
  file.numbers("meta_data/acquisition_wavelengths", {lengths_m.size()}, lengths_m, kReal64);
  file.numbers("meta_data/measurement_timestamps", {times_s.size()}, times_s, kReal64);
  for (int e = 0; e < n.elements; ++e)
    file.numbers("meta_data_device/detectors/element_" + std::to_string(e) + "/detector_position", {3},
                 {(e - 0.5 * (n.elements - 1)) * kPitch_m, 0.0, 0.0}, kReal64);
}

}  // namespace echoloop::test
