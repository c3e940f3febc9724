#include "formats/description.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/units.h"
#include "formats/geometry.h"

namespace echoloop {
namespace {

std::vector<Axis> described_axes(const std::string& what, const Json& meta) {
  constexpr const char* kAccepted = "a list naming each axis: frame, transmit, element, time, iq";
  const Json& list = require_key(what, meta, "axes");
  if (!list.is_array() || list.size() > 8) throw Error(what, "axes = " + json_excerpt(list), kAccepted);
  std::vector<Axis> axes;
  for (const Json& entry : list) {
    const std::string name = json_text(what, entry, "axes");
    if (name == "frame")
      axes.push_back(Axis::frame);
    else if (name == "transmit")
      axes.push_back(Axis::transmit);
    else if (name == "element")
      axes.push_back(Axis::element);
    else if (name == "time")
      axes.push_back(Axis::time);
    else if (name == "iq")
      axes.push_back(Axis::iq);
    else
      throw Error(what, "axis '" + printable(name) + "'", kAccepted);
  }
  return axes;
}

double optional_number(const std::string& what, const Json& meta, const char* key, double fallback) {
  return meta.contains(key) ? json_number(what, meta.at(key), key) : fallback;
}

void set_first_sample_times(const std::string& what, const Json& meta, Acquisition& a) {
  const Json& value = require_key(what, meta, "t0_s");
  const std::vector<double> times = value.is_array()
                                        ? json_numbers(what, value, "t0_s")
                                        : std::vector<double>(a.transmits.size(), json_number(what, value, "t0_s"));
  if (times.size() != a.transmits.size()) {
    throw Error(
        what, std::to_string(times.size()) + " values of t0_s for " + std::to_string(a.transmits.size()) + " transmits",
        "one number, or one for each transmit");
  }
  for (std::size_t k = 0; k < times.size(); ++k) a.transmits[k].t0_s = times[k];
}

// Moves every transmit from the file's clock to the program's; for IQ the phase of the mixer moves along.
std::vector<double> apply_time_zero(const std::string& what, const Json& meta, Acquisition& a,
                                    const std::vector<std::vector<bool>>& active) {
  constexpr const char* kAccepted = "\"first_firing\" or \"origin\" (the wave passes the array's centre)";
  bool all_delays = true;
  for (const Transmit& transmit : a.transmits) all_delays = all_delays && transmit.kind == TransmitKind::delays;
  if (!meta.contains("t_zero") && all_delays) return {};  // the delays themselves are the clock
  const std::string t_zero = json_text(what, require_key(what, meta, "t_zero"), "t_zero");
  const bool first_firing = t_zero == "first_firing";
  if (!first_firing && t_zero != "origin") throw Error(what, "t_zero = '" + printable(t_zero) + "'", kAccepted);
  std::vector<double> rotation_rad;
  bool rotated = false;
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    Transmit& transmit = a.transmits[k];
    double shift_s = 0.0;
    if (first_firing) {
      shift_s = first_firing_s(transmit, a.probe, a.sound_speed_m_s, active[k]);
    } else if (transmit.kind == TransmitKind::delays) {
      shift_s = origin_passage_s(transmit, a.probe, a.sound_speed_m_s);
    }
    if (!std::isfinite(shift_s))
      throw Error(what, "transmit " + std::to_string(k) + " in which no element fires", "at least one");
    transmit.t0_s += shift_s;
    rotation_rad.push_back(-2.0 * kPi * a.demod_hz * shift_s);
    rotated = rotated || rotation_rad.back() != 0.0;
  }
  return rotated ? rotation_rad : std::vector<double>{};
}

void set_frame_rate(const std::string& what, const Json& meta, Acquisition& a) {
  if (meta.contains("frame_rate_hz")) {
    a.frame_rate_hz = json_number(what, meta.at("frame_rate_hz"), "frame_rate_hz");
  } else if (meta.contains("prf_hz")) {
    a.frame_rate_hz = json_number(what, meta.at("prf_hz"), "prf_hz") / static_cast<double>(a.transmits.size());
  } else {
    a.assumptions.emplace_back("frame rate unknown: the description has neither frame_rate_hz nor prf_hz",
                               "frame_rate_hz");
  }
}

}  // namespace

const Json& require_key(const std::string& what, const Json& meta, const char* key) {
  const auto found = meta.find(key);
  if (found == meta.end())
    throw Error(what, std::string("no '") + key + "'", std::string("a description with '") + key + "'");
  return *found;
}

std::string json_excerpt(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

double json_number(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_number()) throw Error(what, key + " = " + json_excerpt(value), "a number");
  return value.get<double>();
}

std::vector<double> json_numbers(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_array()) throw Error(what, key + " = " + json_excerpt(value), "a list of numbers");
  std::vector<double> numbers;
  numbers.reserve(value.size());
  for (const Json& entry : value) {
    numbers.push_back(entry.is_null() ? std::numeric_limits<double>::quiet_NaN() : json_number(what, entry, key));
  }
  return numbers;
}

std::string json_text(const std::string& what, const Json& value, const std::string& key) {
  if (!value.is_string()) throw Error(what, key + " = " + json_excerpt(value), "text");
  return value.get<std::string>();
}

Description describe_array(const std::string& what, const Json& meta, const ArrayView& array) {
  Description d;
  d.axes = described_axes(what, meta);
  const SampleSource layout = sample_source(what, array, d.axes);
  Acquisition& a = d.acquisition;
  if (layout.n_elements > static_cast<std::size_t>(kMaxElements)) {
    throw Error(what, std::to_string(layout.n_elements) + " elements", "up to " + std::to_string(kMaxElements));
  }
  a.sampling_hz = json_number(what, require_key(what, meta, "fs_hz"), "fs_hz");
  a.center_hz = json_number(what, require_key(what, meta, "fc_hz"), "fc_hz");
  a.bandwidth_hz = optional_number(what, meta, "bandwidth_hz", 0.0);
  if (layout.n_values == 2) a.demod_hz = json_number(what, require_key(what, meta, "demod_hz"), "demod_hz");
  if (!meta.contains("c_m_s")) a.assumptions.push_back("sound speed 1540 m/s assumed: the description has no c_m_s");
  a.sound_speed_m_s = optional_number(what, meta, "c_m_s", 1540.0);
  if (!(a.sound_speed_m_s > 0.0)) throw Error(what, "c_m_s = " + std::to_string(a.sound_speed_m_s), "a speed above 0");
  a.probe = described_probe(what, meta, static_cast<int>(layout.n_elements));
  DescribedTransmits tx = described_transmits(what, meta, a.probe);
  a.transmits = std::move(tx.transmits);
  if (a.transmits.size() != layout.n_transmits) {
    throw Error(what,
                std::to_string(a.transmits.size()) + " transmits described for " + std::to_string(layout.n_transmits) +
                    " in the array",
                "one description for each transmit");
  }
  set_first_sample_times(what, meta, a);
  d.rotation_rad = apply_time_zero(what, meta, a, tx.active);
  set_frame_rate(what, meta, a);
  return d;
}

}  // namespace echoloop
