#include "app/outputs/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>

#include "app/opening/opened_description.h"
#include "app/opening/source_kinds.h"
#include "core/acquisition_facts.h"
#include "core/param_table.h"
#include "source/live/live_address.h"
#include "version.h"

namespace echoloop {
namespace {

constexpr std::size_t kLongestDescription = 100'000;  // bytes: Linux takes words of 131 072

const char* name_of(TransmitKind kind) {
  constexpr std::array<const char*, 4> kNames = {"plane", "diverging", "focused", "delays"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

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

FrameNumbers numbers_of(const std::string& source) { return {.by_sender = source_kind(source).prefix == kLivePrefix}; }

namespace {

// Whether every frame up to this one is in the average, as in a run from the first one on: it then counts as many
// frames as one does (backend/persistence.h).
bool averages_all(const Image& image) {
  const FrameStamp& stamp = image.stamp;
  const double rate_hz = image.acquisition->frame_rate_hz;
  if (stamp.clock == FrameClock::device || rate_hz <= 0.0) return false;
  if (stamp.sequence != stamp.source_index || image.number != stamp.sequence + 1) return false;
  double squares = 1.0;
  for (std::uint64_t k = 1; k <= stamp.source_index; ++k) {
    const double dt_s = static_cast<double>(k) / rate_hz - static_cast<double>(k - 1) / rate_hz;
    const double keep = std::exp(-dt_s / image.params.refine.persistence_s);
    squares = keep * keep * squares + (1.0 - keep) * (1.0 - keep);
  }
  return std::abs(image.averaged_frames * squares - 1.0) < 1e-9;
}

std::string facts_words(const Acquisition& acquisition) {
  std::string words;
  for (const Assumption& assumed : acquisition.assumptions) {
    if (!assumed.given) continue;
    words += fmt::format(" --set {}={:.17g}", assumed.fact, find_fact(assumed.fact)->get(acquisition));
  }
  return words;
}

// Those that are not the source's defaults.
std::string params_words(const ImagingParams& params, const Acquisition& acquisition) {
  const ImagingParams defaults = default_params(acquisition);
  std::string words;
  for (const ParamSpec& spec : param_table()) {
    const bool same =
        get_text(params, spec) == get_text(defaults, spec) && get_number(params, spec) == get_number(defaults, spec);
    if (same) continue;
    const std::string value =
        spec.choices.empty() ? fmt::format("{:.17g}", get_number(params, spec)) : get_text(params, spec);
    words += fmt::format(" --set {}={}", spec.key, value);
  }
  return words;
}

// Empty: there is one.
std::string why_no_command(const RepeatedFrames& run, std::size_t description_bytes) {
  if (numbers_of(run.source).by_sender)
    return "the frames of a scanner do not come again; record them (R, or --record)";
  if (!run.complete) return "frames are missing or repeated, or the source's first one is not among them";
  if (run.params != nullptr && run.params->refine.persistence_s > 0.0 && run.acquisition->frame_rate_hz <= 0.0)
    return "persistence: without a frame rate it averages by the times of arrival; set frame_rate_hz";
  if (description_bytes <= kLongestDescription) return {};
  return fmt::format("the description in use has {} bytes, too many for a command; save it beside the recording",
                     description_bytes);
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

std::string whole_name(const std::string& source) {
  const bool file = !source.empty() && is_file_source(source);
  return file ? std::filesystem::absolute(source).lexically_normal().string() : source;
}

void set_no_command(nlohmann::json& json, const std::string& why) {
  if (json.is_object()) json.erase("command");
  json["command_missing"] = why;
}

std::string command_text(const nlohmann::json& json) {
  if (const auto found = json.find("command"); found != json.end()) return found->get<std::string>();
  return "no command: " + json.at("command_missing").get<std::string>();
}

void set_command(nlohmann::json& json, const RepeatedFrames& run, const std::string& output) {
  const std::string description = opened_description(run.acquisition);
  if (const std::string why = why_no_command(run, description.size()); !why.empty()) return set_no_command(json, why);
  std::string command = "echoloop " + shell_word(whole_name(run.source));
  if (!description.empty()) command += " --description " + shell_word(description);
  command += " --headless --rate max --policy block --frames " + std::to_string(run.frames);
  command += facts_words(*run.acquisition);
  if (run.params != nullptr) command += params_words(*run.params, *run.acquisition);
  if (!run.backend.computes_elsewhere()) command += " --backend cpu";
  if (json.is_object()) json.erase("command_missing");
  json["command"] = command + " " + output;
}

void set_command(nlohmann::json& json, const Backend& backend, const std::string& source, const Image& image,
                 const std::string& output) {
  if (image.acquisition == nullptr) return set_no_command(json, "the image has no acquisition");
  ImagingParams params = image.params;
  const bool alone = image.averaged_frames <= 1.0;  // as those of the history, and the first one of a stream
  if (alone) params.refine.persistence_s = 0.0;
  if (!alone && !averages_all(image)) {
    return set_no_command(
        json, "persistence: the image averages frames that another run need not have; freeze, or set Persistence to 0");
  }
  set_command(json,
              {.backend = backend,
               .source = source,
               .acquisition = image.acquisition,
               .frames = image.stamp.source_index + 1,
               .params = &params},
              output);
}

std::string command_text(const Backend& backend, const std::string& source, const Image& image,
                         const std::string& output) {
  nlohmann::json json;
  set_command(json, backend, source, image, output);
  return command_text(json);
}

nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image) {
  nlohmann::json json = program_json(backend, source);
  if (image.acquisition != nullptr) json["acquisition"] = acquisition_json(*image.acquisition);
  set_command(json, backend, source, image, "--image-out image.npy");
  json["written"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return json;
}

}  // namespace echoloop
