// Probe and transmits of a JSON description (see description.h for the keys).
#include <cmath>
#include <limits>

#include "core/error.h"
#include "formats/description.h"
#include "formats/geometry.h"

namespace echoloop {
namespace {

std::vector<double> element_numbers(const std::string& what, const Json& meta, const char* key, std::size_t n) {
  std::vector<double> numbers = json_numbers(what, meta.at(key), key);
  if (numbers.size() == n) return numbers;
  throw Error(what, std::to_string(numbers.size()) + " values of " + key + " for " + std::to_string(n) + " elements",
              "one for each element");
}

Probe listed_probe(const std::string& what, const Json& meta, std::size_t n, double width_m) {
  Probe probe{
      .name = "linear array", .kind = ProbeKind::linear, .pitch_m = 0.0, .element_width_m = width_m, .elements = {}};
  const auto x = element_numbers(what, meta, "element_x_m", n);
  const auto z =
      meta.contains("element_z_m") ? element_numbers(what, meta, "element_z_m", n) : std::vector<double>(n, 0.0);
  bool curved = false;
  for (const double z_m : z) curved = curved || std::abs(z_m - z[0]) > 1e-9;
  if (curved && !meta.contains("element_normal_rad")) {
    throw Error(what, "a curved array without element_normal_rad",
                "the direction each element looks, from +z towards +x");
  }
  const auto normal = meta.contains("element_normal_rad") ? element_numbers(what, meta, "element_normal_rad", n)
                                                          : std::vector<double>(n, 0.0);
  if (curved) probe.kind = ProbeKind::convex, probe.name = "convex array";
  for (std::size_t e = 0; e < n; ++e) probe.elements.push_back({.x_m = x[e], .z_m = z[e], .normal_rad = normal[e]});
  if (meta.contains("pitch_m")) {
    probe.pitch_m = json_number(what, meta.at("pitch_m"), "pitch_m");
  } else if (n > 1) {
    probe.pitch_m = std::hypot(x[1] - x[0], z[1] - z[0]);
  }
  return probe;
}

Transmit delays_transmit(const std::string& what, const Json& list, std::size_t n_elements) {
  Transmit transmit{.kind = TransmitKind::delays,
                    .angle_rad = 0,
                    .source_x_m = 0,
                    .source_z_m = 0,
                    .element_delays_s = json_numbers(what, list, "delays"),
                    .t0_s = 0};
  if (transmit.element_delays_s.size() != n_elements) {
    throw Error(what,
                std::to_string(transmit.element_delays_s.size()) + " transmit delays for " +
                    std::to_string(n_elements) + " elements",
                "one for each element, null where it is silent");
  }
  return transmit;
}

void set_source(const std::string& what, const Json& entry, const char* key, Transmit& transmit) {
  const auto point = json_numbers(what, require_key(what, entry, key), key);
  const bool flat = point.size() == 2 || (point.size() == 3 && point[1] == 0.0);
  const double z = flat ? point.back() : 0.0;
  const bool diverging = transmit.kind == TransmitKind::diverging;
  if (!flat || !(diverging ? z < 0.0 : z > 0.0)) {
    throw Error(what, std::string(key) + " = " + json_excerpt(entry.at(key)),
                diverging ? "[x, z] with z < 0" : "[x, z] with z > 0");
  }
  transmit.source_x_m = point[0];
  transmit.source_z_m = z;
}

Transmit transmit_entry(const std::string& what, const Json& entry, std::size_t n_elements) {
  constexpr const char* kAccepted = "a list of {kind: plane | diverging | focused | delays, ...}";
  if (!entry.is_object()) throw Error(what, "tx entry " + json_excerpt(entry), kAccepted);
  const std::string kind = json_text(what, require_key(what, entry, "kind"), "kind");
  if (kind == "delays") return delays_transmit(what, require_key(what, entry, "delays_s"), n_elements);
  Transmit transmit;
  if (kind == "plane") {
    transmit.angle_rad = json_number(what, require_key(what, entry, "angle_rad"), "angle_rad");
  } else if (kind == "diverging") {
    transmit.kind = TransmitKind::diverging;
    set_source(what, entry, "source_m", transmit);
  } else if (kind == "focused") {
    transmit.kind = TransmitKind::focused;
    set_source(what, entry, "focus_m", transmit);
  } else {
    throw Error(what, "transmit kind '" + printable(kind) + "'", kAccepted);
  }
  return transmit;
}

// Elements with apodization 0 are silent: they do not fire first, and an explicit delay law skips them.
std::vector<bool> active_elements(const std::string& what, const Json& entry, Transmit& transmit,
                                  std::size_t n_elements) {
  if (!entry.contains("apod")) return {};
  const auto weights = element_numbers(what, entry, "apod", n_elements);
  std::vector<bool> active(n_elements);
  for (std::size_t e = 0; e < n_elements; ++e) {
    active[e] = weights[e] != 0.0;
    if (!active[e] && transmit.kind == TransmitKind::delays)
      transmit.element_delays_s[e] = std::numeric_limits<double>::quiet_NaN();
  }
  return active;
}

}  // namespace

Probe described_probe(const std::string& what, const Json& meta, int n_elements) {
  if (meta.contains("n_elements") && json_number(what, meta.at("n_elements"), "n_elements") != n_elements) {
    throw Error(what,
                "n_elements = " + json_excerpt(meta.at("n_elements")) + " for an array of " +
                    std::to_string(n_elements) + " elements",
                "the same number in both");
  }
  const double width_m =
      meta.contains("element_width_m") ? json_number(what, meta.at("element_width_m"), "element_width_m") : 0.0;
  Probe probe;
  if (meta.contains("element_x_m")) {
    probe = listed_probe(what, meta, static_cast<std::size_t>(n_elements), width_m);
  } else {
    if (!meta.contains("pitch_m")) throw Error(what, "neither element_x_m nor pitch_m", "one of them");
    const double pitch_m = json_number(what, meta.at("pitch_m"), "pitch_m");
    probe = meta.contains("radius_m") ? make_convex_probe(what, n_elements, pitch_m,
                                                          json_number(what, meta.at("radius_m"), "radius_m"), width_m)
                                      : make_pitch_probe(what, n_elements, pitch_m, width_m);
  }
  if (meta.contains("name")) probe.name = json_text(what, meta.at("name"), "name").substr(0, 80);
  return probe;
}

DescribedTransmits described_transmits(const std::string& what, const Json& meta, const Probe& probe) {
  const std::size_t n_elements = probe.elements.size();
  DescribedTransmits result;
  const auto add = [&](Transmit transmit, std::vector<bool> active) {
    if (result.transmits.size() >= static_cast<std::size_t>(kMaxTransmits))
      throw Error(what, "too many transmits", "up to 16384");
    result.transmits.push_back(std::move(transmit));
    result.active.push_back(std::move(active));
  };
  if (meta.contains("tx") && meta.at("tx").is_array()) {
    for (const Json& entry : meta.at("tx")) {
      Transmit transmit = transmit_entry(what, entry, n_elements);
      std::vector<bool> active = active_elements(what, entry, transmit, n_elements);
      add(std::move(transmit), std::move(active));
    }
  } else if (meta.contains("tx_angles_rad")) {
    const Json& angles = meta.at("tx_angles_rad");
    for (const double angle : angles.is_array() ? json_numbers(what, angles, "tx_angles_rad")
                                                : std::vector{json_number(what, angles, "tx_angles_rad")}) {
      Transmit transmit;
      transmit.angle_rad = angle;
      add(std::move(transmit), {});
    }
  } else if (meta.contains("tx_delays_s")) {
    const Json& delays = meta.at("tx_delays_s");
    const bool several = delays.is_array() && !delays.empty() && delays[0].is_array();
    if (!several) add(delays_transmit(what, delays, n_elements), {});
    for (std::size_t k = 0; several && k < delays.size(); ++k) add(delays_transmit(what, delays[k], n_elements), {});
  } else {
    throw Error(what, "no list of transmits", "tx, tx_angles_rad or tx_delays_s");
  }
  return result;
}

}  // namespace echoloop
