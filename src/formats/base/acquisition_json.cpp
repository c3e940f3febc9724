#include "formats/base/acquisition_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "core/error.h"
#include "core/facts.h"

namespace echoloop {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 3> kProbeKinds = {"linear", "convex", "phased"};
constexpr std::array<std::string_view, 5> kTransmitKinds = {"plane", "diverging", "focused", "delays", "none"};
constexpr std::array<std::string_view, 2> kSampleTypes = {"int16", "float32"};
constexpr std::array<std::string_view, 2> kSignals = {"rf", "iq"};
constexpr std::array<std::string_view, 2> kDataKinds = {"channels", "beamformed"};

template <class Enum, std::size_t N>
std::string name_of(const std::array<std::string_view, N>& names, Enum value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

template <class Enum, std::size_t N>
Enum value_of(const std::array<std::string_view, N>& names, const json& name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name.get_ref<const std::string&>()) return static_cast<Enum>(i);
  throw std::invalid_argument("no such kind");
}

json probe_json(const Probe& probe) {
  json x = json::array(), z = json::array(), normal = json::array();
  for (const Element& element : probe.elements) {
    x.push_back(element.x_m);
    z.push_back(element.z_m);
    normal.push_back(element.normal_rad);
  }
  json value = {{"name", probe.name},
                {"kind", name_of(kProbeKinds, probe.kind)},
                {"pitch_m", probe.pitch_m},
                {"element_width_m", probe.element_width_m},
                {"element_x_m", x},
                {"element_z_m", z},
                {"element_normal_rad", normal}};
  if (leaves_plane(probe))
    for (const Element& element : probe.elements) value["element_y_m"].push_back(element.y_m);
  if (probe.lens.refracts())
    value["lens"] = {{"thickness_m", probe.lens.thickness_m}, {"sound_speed_m_s", probe.lens.sound_speed_m_s}};
  return value;
}

json transmit_json(const Transmit& transmit) {
  json value = {{"kind", name_of(kTransmitKinds, transmit.kind)},
                {"angle_rad", transmit.angle_rad},
                {"source_x_m", transmit.source_x_m},
                {"source_z_m", transmit.source_z_m},
                {"t0_s", transmit.t0_s}};
  if (transmit.aperture_m > 0.0) value["aperture_m"] = transmit.aperture_m;
  if (transmit.elevation_rad != 0.0) value["elevation_rad"] = transmit.elevation_rad;
  if (transmit.element_delays_s.empty()) return value;
  json delays = json::array();
  for (const double delay : transmit.element_delays_s) delays.push_back(std::isnan(delay) ? json() : json(delay));
  value["element_delays_s"] = std::move(delays);
  return value;
}

Probe read_probe(const json& value) {
  Probe probe{.name = value.at("name").get<std::string>(),
              .kind = value_of<ProbeKind>(kProbeKinds, value.at("kind")),
              .pitch_m = value.at("pitch_m").get<double>(),
              .element_width_m = value.at("element_width_m").get<double>(),
              .elements = {}};
  const json& x = value.at("element_x_m");
  const json& z = value.at("element_z_m");
  const json& normal = value.at("element_normal_rad");
  if (!x.is_array() || z.size() != x.size() || normal.size() != x.size()) throw std::invalid_argument("elements");
  for (std::size_t e = 0; e < x.size(); ++e)
    probe.elements.push_back({x.at(e).get<double>(), z.at(e).get<double>(), normal.at(e).get<double>()});
  if (value.contains("element_y_m")) {
    const json& y = value.at("element_y_m");
    if (y.size() != x.size()) throw std::invalid_argument("elements");
    for (std::size_t e = 0; e < y.size(); ++e) probe.elements[e].y_m = y.at(e).get<double>();
  }
  if (value.contains("lens")) {
    const json& lens = value.at("lens");
    probe.lens = {lens.at("thickness_m").get<double>(), lens.at("sound_speed_m_s").get<double>()};
  }
  return probe;
}

Transmit read_transmit(const json& value) {
  Transmit transmit{.kind = value_of<TransmitKind>(kTransmitKinds, value.at("kind")),
                    .angle_rad = value.at("angle_rad").get<double>(),
                    .source_x_m = value.at("source_x_m").get<double>(),
                    .source_z_m = value.at("source_z_m").get<double>(),
                    .element_delays_s = {},
                    .t0_s = value.at("t0_s").get<double>(),
                    .aperture_m = value.value("aperture_m", 0.0),
                    .elevation_rad = value.value("elevation_rad", 0.0)};
  if (!value.contains("element_delays_s")) return transmit;
  for (const json& delay : value.at("element_delays_s")) {
    transmit.element_delays_s.push_back(delay.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                        : delay.get<double>());
  }
  return transmit;
}

Acquisition read_acquisition(const json& value) {
  if (value.at("version").get<int>() != kVersion) throw std::invalid_argument("version");
  Acquisition a;
  a.probe = read_probe(value.at("probe"));
  for (const json& transmit : value.at("transmits")) a.transmits.push_back(read_transmit(transmit));
  a.n_samples = value.at("n_samples").get<int>();
  a.sample_type = value_of<SampleType>(kSampleTypes, value.at("sample_type"));
  a.signal = value_of<SignalKind>(kSignals, value.at("signal"));
  if (value.contains("data")) a.data = value_of<DataKind>(kDataKinds, value.at("data"));  // absent: channel data
  for (const FactRow& row : kFacts)
    if (row.member != nullptr) a.*row.member = value.value(row.name, a.*row.member);  // absent: of an older version
  for (const json& assumed : value.at("assumptions"))
    a.assumptions.emplace_back(assumed.at("text").get<std::string>(), assumed.at("fact").get<std::string>());
  a.validate("recording");
  return a;
}

}  // namespace

std::string acquisition_to_json(const Acquisition& a) {
  json transmits = json::array();
  for (const Transmit& transmit : a.transmits) transmits.push_back(transmit_json(transmit));
  json assumptions = json::array();
  for (const Assumption& assumed : a.assumptions)
    assumptions.push_back({{"text", assumed.text}, {"fact", assumed.fact}});
  json value = {{"version", kVersion},
                {"probe", probe_json(a.probe)},
                {"transmits", transmits},
                {"n_samples", a.n_samples},
                {"sample_type", name_of(kSampleTypes, a.sample_type)},
                {"signal", name_of(kSignals, a.signal)},
                {"data", name_of(kDataKinds, a.data)},
                {"assumptions", assumptions}};
  for (const FactRow& row : kFacts)
    if (row.member != nullptr) value[row.name] = a.*row.member;
  return value.dump(-1, ' ', false, json::error_handler_t::replace);  // replaces invalid UTF-8 in a name
}

std::optional<Acquisition> acquisition_from_json(const std::string& text) {
  try {
    return read_acquisition(json::parse(text));
  } catch (const json::exception&) {
  } catch (const std::invalid_argument&) {
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace echoloop
