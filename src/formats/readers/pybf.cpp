// HDF5 layout of PyBF: one dataset (element, time) for each frame and shot, data/rf_data/frame_1/shot_1; plane waves
// whose angles have the name of the transmit law, data/tx_mode/PW_3_12. Time zero of a simulation: the wave passes the
// array's centre; of a measurement (hardware_params): the first element fires. The first sample is at start_time minus
// the pulse's length; data/correction_time_shift, if present, includes both already, negated.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

using hdf5::Node;

// Returns members "frame_1", "frame_2", ... in numerical order.
std::vector<std::string> numbered(const Node& group, const std::string& stem) {
  std::vector<std::pair<long, std::string>> found;
  for (const std::string& name : group.children()) {
    if (!name.starts_with(stem)) continue;
    const std::string digits = name.substr(stem.size());
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    found.emplace_back(std::strtol(digits.c_str(), nullptr, 10), name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [number, name] : found) names.push_back(std::move(name));
  if (names.empty()) throw Error(group.where(), "no " + stem + "1", "one or more " + stem + "1, " + stem + "2 ...");
  return names;
}

Hdf5Samples pybf_samples(const Node& rf_data, std::size_t n_angles) {
  Hdf5Samples samples;
  samples.axes = {Axis::element, Axis::time};
  samples.datasets_per_frame = n_angles;
  for (const std::string& frame : numbered(rf_data, "frame_")) {
    const Node group = rf_data.at(frame);
    const std::vector<std::string> shots = numbered(group, "shot_");
    if (shots.size() != n_angles) {
      throw Error(group.where(), counted(shots.size(), "shot") + " for " + counted(n_angles, "angle"),
                  "one shot for each angle");
    }
    for (const std::string& shot : shots) samples.datasets.push_back("data/rf_data/" + frame + "/" + shot);
  }
  return samples;
}

std::vector<double> pybf_angles(const Node& tx_mode) {
  const std::vector<std::string> laws = tx_mode.children();
  if (laws.size() != 1 || !laws[0].starts_with("PW_")) {
    throw Error(
        tx_mode.where(),
        laws.empty() ? "no transmit law" : "transmit law " + printable(laws[0]) + (laws.size() > 1 ? ", ..." : ""),
        "plane waves: PW_ and the angles in rad");
  }
  return tx_mode.at(laws[0]).numbers(static_cast<std::size_t>(kMaxTransmits));
}

struct Clock {
  double first_sample_s = 0.0;
  bool from_first_firing = false;  // otherwise from the wave's passage of the array's centre
};

Clock pybf_clock(const Node& root, const Node& data) {
  if (const auto shift = data.find("correction_time_shift")) return {.first_sample_s = -shift->number()};
  if (const auto simulated = root.find("sim_params")) {
    // Half of the total length of the two-way impulse response and the excitation, as in PyBF's Hardware.
    const auto length = [&](const char* name) {
      return static_cast<double>(checked_bytes(simulated->at(name).extents(), 1).value_or(0));
    };
    const double samples = length("excitation") + 2.0 * length("electroacoustic_impulse_response") - 2.0;
    return {.first_sample_s =
                simulated->at("start_time").number() - 0.5 * samples / simulated->at("f_sim_hz").number()};
  }
  const Node hardware = root.at("hardware_params");
  return {.first_sample_s = hardware.at("start_time").number() - hardware.at("correction_time").number(),
          .from_first_firing = true};
}

}  // namespace

bool looks_like_pybf(const Node& root) {
  return root.has("trans_params") && root.has("data") && root.at("data").has("rf_data");
}

LibraryRecording read_pybf(const OpenRequest& request, const Node& root) {
  constexpr double kSoundSpeed_m_s = 1540.0;
  const Node data = root.at("data"), trans = root.at("trans_params");
  std::vector<double> angles = pybf_angles(data.at("tx_mode"));
  Hdf5Parts parts{.acquisition = {}, .samples = pybf_samples(data.at("rf_data"), angles.size()), .format = "PyBF"};
  Acquisition& a = parts.acquisition;
  a.sampling_hz = data.at("f_sampling").number();
  a.center_hz = trans.at("f_central").number();
  constexpr double kMostFraction = 2.0;  // of the centre frequency; measured files use hertz
  if (const auto width = trans.find("bandwidth"))
    a.bandwidth_hz = width->number() > kMostFraction ? width->number() : width->number() * a.center_hz;
  a.sound_speed_m_s = kSoundSpeed_m_s;
  a.assumptions.push_back("sound speed 1540 m/s assumed: not part of the format");
  if (std::any_of(angles.begin(), angles.end(), [](double angle) { return std::abs(angle) > kPi / 2; })) {
    for (double& angle : angles) angle *= kRadiansPerDegree;
    a.assumptions.push_back("angles assumed to be in degrees: some exceed 90 degrees as radians");
  }

  const double n_elements = trans.at("x_num_of_elements").number();
  if (!(n_elements >= 1.0 && n_elements <= kMaxElements)) {
    throw Error(trans.where(), "x_num_of_elements = " + std::to_string(n_elements),
                "1 to " + std::to_string(kMaxElements));
  }
  if (const auto rows = trans.find("y_num_of_elements"); rows && rows->number() != 1.0)
    throw Error(trans.where(), "a matrix array (y_num_of_elements above 1)", "one row of elements");
  const auto width = trans.find("x_width");
  a.probe = make_pitch_probe(request.what(), static_cast<int>(n_elements), trans.at("x_pitch").number(),
                             width ? width->number() : 0.0);
  const Clock clock = pybf_clock(root, data);
  for (const double angle : angles) {
    Transmit t;
    t.angle_rad = angle;
    t.t0_s = clock.first_sample_s;
    if (clock.from_first_firing) t.t0_s += first_firing_s(t, a.probe, a.sound_speed_m_s, {});
    a.transmits.push_back(std::move(t));
  }
  const auto rate = data.find("fps");  // 1 for a single frame: no rate
  const bool several = parts.samples.datasets.size() > angles.size();
  if (rate && several) a.frame_rate_hz = rate->number();
  if (a.frame_rate_hz == 0.0) a.assumptions.emplace_back("frame rate unknown: not in the file", "frame_rate_hz");
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
