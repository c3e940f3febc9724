#include "app/outputs/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

#include "core/acquisition_facts.h"
#include "core/param_table.h"
#include "version.h"

namespace echoloop {
namespace {

const char* name_of(TransmitKind kind) {
  constexpr std::array<const char*, 4> kNames = {"plane", "diverging", "focused", "delays"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/:=,+@%").find(c) != std::string_view::npos;
  });
  if (plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

nlohmann::json program_json(const Backend& backend, const std::string& source) {
  return {{"version", kVersion}, {"backend", backend.name()}, {"device", backend.device()}, {"source", source}};
}

bool is_of_program(const std::filesystem::path& file) {
  std::ifstream text(file);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && std::ranges::all_of(std::array{"version", "backend", "device", "source"},
                                                 [&](const char* key) { return json.contains(key); });
}

nlohmann::json assumptions_json(const Acquisition& a) {
  nlohmann::json json = nlohmann::json::array();
  for (const Assumption& assumed : a.assumptions) json.push_back({{"text", assumed.text}, {"set", assumed.fact}});
  return json;
}

nlohmann::json acquisition_json(const Acquisition& a) {
  nlohmann::json json = {{"probe", a.probe.name},
                         {"elements", a.n_elements()},
                         {"pitch_m", a.probe.pitch_m},
                         {"transmits", a.n_transmits()},
                         {"samples", a.n_samples},
                         {"sample_type", a.sample_type == SampleType::int16 ? "int16" : "float32"},
                         {"signal", a.signal == SignalKind::iq ? "iq" : "rf"},
                         {"beamformed", a.data == DataKind::beamformed},
                         {"sampling_hz", a.sampling_hz},
                         {"center_hz", a.center_hz},
                         {"bandwidth_hz", a.bandwidth_hz},
                         {"demod_hz", a.demod_hz},
                         {"sound_speed_m_s", a.sound_speed_m_s},
                         {"frame_rate_hz", a.frame_rate_hz},
                         {"assumptions", assumptions_json(a)}};
  if (a.data == DataKind::beamformed) {  // columns of an image: what was sent and received is not known
    json["columns"] = a.n_elements();
    for (const char* unknown : {"elements", "transmits"}) json.erase(unknown);
    return json;
  }
  if (a.transmits.empty()) return json;
  json["transmit_kind"] = name_of(a.transmits.front().kind);
  if (a.transmits.front().kind == TransmitKind::plane) {
    json["angles_rad"] = nlohmann::json::array();
    for (const Transmit& t : a.transmits) json["angles_rad"].push_back(t.angle_rad);
  }
  return json;
}

std::string reproducing_command(const std::string& source, const Image& image) {
  std::string command = "echoloop " + shell_word(source) + " --headless --rate max --policy block --frames " +
                        std::to_string(image.stamp.source_index + 1);
  if (image.acquisition != nullptr) {
    for (const Assumption& assumed : image.acquisition->assumptions) {
      if (!assumed.given) continue;
      command += fmt::format(" --set {}={:.17g}", assumed.fact, find_fact(assumed.fact)->get(*image.acquisition));
    }
  }
  const ImagingParams defaults = image.acquisition != nullptr ? default_params(*image.acquisition) : ImagingParams{};
  for (const ParamSpec& spec : param_table()) {
    const bool same = image.acquisition != nullptr && get_text(image.params, spec) == get_text(defaults, spec) &&
                      get_number(image.params, spec) == get_number(defaults, spec);
    if (same) continue;
    const std::string value =
        spec.choices.empty() ? fmt::format("{:.17g}", get_number(image.params, spec)) : get_text(image.params, spec);
    command += fmt::format(" --set {}={}", spec.key, value);
  }
  return command;
}

nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image) {
  nlohmann::json json = program_json(backend, source);
  if (image.acquisition != nullptr) json["acquisition"] = acquisition_json(*image.acquisition);
  json["command"] = reproducing_command(source, image) + " --image-out image.npy";
  json["written"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return json;
}

}  // namespace echoloop
