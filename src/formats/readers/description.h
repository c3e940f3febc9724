// The JSON description of a bare array (.npy, .npz): key by key into an Acquisition.
// Keys: axes [frame|transmit|element|time|iq], fs_hz, fc_hz, demod_hz (IQ), c_m_s, t0_s (one, or one a transmit),
// t_zero "first_firing"|"origin" (or a sentence that says which), element_x_m (+ element_z_m, element_normal_rad) or
// pitch_m (+ n_elements, radius_m), element_width_m, tx [{kind, angle_rad | source_m | focus_m | delays_s, apod}] or
// tx_angles_rad or tx_delays_s (element_delays_s) or virtual_source_m,
// frame_rate_hz or prf_hz, bandwidth_hz, name. axes and t_zero have no default: guessing them is the commonest error.
// (Explicit delays carry their own clock, so that t_zero may be absent when every transmit is one.)
#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/readers/description_json.h"
#include "formats/readers/samples.h"

namespace echoloop {

struct Description {
  std::vector<Axis> axes;
  Acquisition acquisition;           // without what the samples decide
  std::vector<double> rotation_rad;  // see SampleSource
};

// `what` names the description in messages. Throws Error naming the key that is missing or wrong.
Description describe_array(const std::string& what, const Json& meta, const ArrayView& array);

std::vector<Axis> described_axes(const std::string& what, const Json& meta);  // "axes"

// Probe and transmits (description_probe.cpp).
Probe described_probe(const std::string& what, const Json& meta, int n_elements);
struct DescribedTransmit {
  Transmit transmit;              // t0_s on the file's clock
  std::vector<bool> active = {};  // elements that fire, empty: all
  // Explicit delays only: when the first element fires and when the wave passes the origin, on their own clock. The
  // transmit is the wave that they make; a law that is none keeps kind delays, and its passage is 0.
  bool by_delays = false;
  double first_s = 0.0, passage_s = 0.0;
};
// `a` has probe, centre frequency and sound speed.
std::vector<DescribedTransmit> described_transmits(const std::string& what, const Json& meta, const Acquisition& a);

// A description that would do for an array of so many axes, in one line: for messages about one that is missing.
std::string whole_example(std::size_t n_axes);

// Typed access; Error when the key is missing or not of that type.
const Json& require_key(const std::string& what, const Json& meta, const char* key);
double json_number(const std::string& what, const Json& value, const std::string& key);
std::vector<double> json_numbers(const std::string& what, const Json& value, const std::string& key);  // null: NaN
std::string json_excerpt(const Json& value);  // its beginning, for messages
std::string json_text(const std::string& what, const Json& value, const std::string& key);

}  // namespace echoloop
