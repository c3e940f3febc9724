#include "app/outputs/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <string_view>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/outputs/method_server.h"
#include "core/facts.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/units.h"
#include "gui/overlay/caption.h"
#include "history/export.h"
#include "source/live/live_listener.h"
#include "version.h"

namespace echoloop {
namespace {

nlohmann::json summary_json(const StageSummary& s) {
  return {{"p50_ms", s.p50_ms}, {"p95_ms", s.p95_ms}, {"max_ms", s.max_ms}};
}

nlohmann::json latency_json(const StageSummary& s) {
  return {{"p50", s.p50_ms}, {"p95", s.p95_ms}, {"p99", s.p99_ms}, {"max", s.max_ms}};
}

// Returns latencies of the same frames if a window showed them; otherwise of all.
nlohmann::json recent_latency_json(const TimingTrace& trace) {
  const StageSummary shown = trace.recent_latency(Latency::shown);
  if (shown.count == 0) return {{"ready", latency_json(trace.recent_latency(Latency::ready))}};
  return {{"ready", latency_json(trace.recent_latency(Latency::ready_of_shown))}, {"shown", latency_json(shown)}};
}

nlohmann::json faults_json(const SampleFaults& faults) {
  nlohmann::json json = {{"frames_checked", faults.frames}, {"samples", faults.samples}};
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    const auto fault = static_cast<SampleFault>(i);
    const SampleFaultCount& found = faults.of(fault);
    nlohmann::json elements = nlohmann::json::array();  // from 1, as in the window
    for (std::size_t e = 0; e < found.elements.size(); ++e)
      if (found.elements[e]) elements.push_back(e + 1);
    json[std::string(kSampleFaultRows[i].key)] = {
        {"samples", found.samples}, {"share", faults.share(fault)}, {"elements", std::move(elements)}};
  }
  return json;
}

}  // namespace

nlohmann::json make_report(const Backend& backend, const Session& session, const std::string& source,
                           const ImagingParams& params, const TimingTrace& trace, const RunTotals& totals) {
  nlohmann::json report = program_json(backend, source);
  const RingCounts counts = session.counts();
  const StreamSettings& stream = session.stream();
  report["frames"] = {{"produced", counts.produced},
                      {"processed", counts.processed},
                      {"shown", totals.shown},
                      {"dropped", counts.dropped},
                      {"overrun", counts.refused},
                      {"in_flight", counts.in_flight},
                      {"errors", totals.errors},
                      {"sequence_gaps", counts.sequence_gaps},
                      {"missing", counts.missing()},
                      {"lost_at_sender", counts.lost_at_sender},
                      {"stale", counts.stale},
                      {"first_sequence", counts.first_sequence},
                      {"next_sequence", counts.next_sequence},
                      {"copied", counts.copied},
                      {"duplicates", counts.duplicates},
                      {"slots_peak", counts.slots_peak}};
  report["seconds"] = totals.seconds;
  const double per_second = totals.seconds > 0.0 ? 1.0 / totals.seconds : 0.0;
  const auto processed = static_cast<double>(counts.processed);
  report["frames_per_second"] = processed * per_second;
  report["bytes_per_second"] = processed * per_second * static_cast<double>(session.frame_bytes());
  report["producer_waited_s"] = static_cast<double>(counts.producer_waited_ns) * 1e-9;
  report["latency_ms"] = latency_json(trace.summarize_latency(Latency::ready));
  report["latency_shown_ms"] = latency_json(trace.summarize_latency(Latency::shown));
  report["latency_last_10_s_ms"] = recent_latency_json(trace);
  const StreamTiming timing = stream_timing(trace.spans());
  report["timing_ms"] = {{"t_t", timing.t_t_ms},
                         {"t_p", timing.t_p_ms},
                         {"period", timing.period_ms},
                         {"predicted_serial", timing.serial_ms()},
                         {"predicted_overlap", timing.overlap_ms()},
                         {"frames", timing.frames}};
  const auto stages = trace.summarize_stages();
  report["stages"] = nlohmann::json::object();
  for (std::size_t s = 0; s < stages.size(); ++s)
    if (stages[s].count > 0) report["stages"][std::string(kStages[s].key)] = summary_json(stages[s]);
  report["policy"] = kPolicyNames[static_cast<std::size_t>(stream.policy)];
  report["slots"] = stream.slots;
  report["lanes"] = stream.lanes;
  report["pace_ms"] = stream.pace_ms;
  report["inject"] = to_text(stream.inject);
  report["copy"] = to_text(stream.copy);
  report["streams"] = kStreamModeNames[static_cast<std::size_t>(stream.streams)];
  report["host_memory"] = kHostMemoryNames[static_cast<std::size_t>(session.host_memory())];
  report["frame_wait"] = kFrameWaitNames[static_cast<std::size_t>(stream.frame_wait)];
  if (const std::size_t in_place = session.memory().in_place_bytes; in_place > 0)
    report["host_memory_bytes"] = in_place;
  if (const char* why = session.why_fp32()) report["why_fp32"] = why;
  if (const nlohmann::json method = python_method_json(); !method.is_null()) report["python_method"] = method;
  report["parameters"] = params_json(params);
  return report;
}

nlohmann::json samples_json(const SampleLogPtr& log, const FrameStamp& last) {
  nlohmann::json json = faults_json(log != nullptr ? log->since_start() : SampleFaults{});
  json["last_frame"] = faults_json(faults_of(log, last.source_index));
  return json;
}

nlohmann::json recording_json(const RecorderStatus& status) {
  return {{"path", status.path.string()}, {"frames", status.frames},   {"not_recorded", status.not_recorded},
          {"bytes", status.bytes},        {"seconds", status.seconds}, {"most_behind_s", status.most_behind_s},
          {"problem", status.problem}};
}

std::string recording_text(const RecorderStatus& status) {
  const std::string_view early = status.problem.empty() ? "" : "the recording ended early, ";
  std::string text = fmt::format("{}: {}{}{}{}, {:.1f} MB", status.path.string(), early, status.problem,
                                 early.empty() ? "recorded " : ". Recorded: ", counted(status.frames, "frame"),
                                 static_cast<double>(status.bytes) * 1e-6);
  constexpr double kWorthSaying_s = 1.0;
  if (status.most_behind_s > kWorthSaying_s)
    text += fmt::format("; the disk was up to {:.1f} s behind the stream", status.most_behind_s);
  if (status.not_recorded == 0) return text;
  text += fmt::format("; not recorded: {}", status.not_recorded);
  return early.empty() ? text + ", the disk was slower than the stream" : text;
}

void add_commands(nlohmann::json& report, const RepeatedRun& run) {
  struct Output {
    const char *key, *option;
    const ImagingParams* params;
  };
  const RingCounts& n = run.counts;
  const bool all = n.first_sequence == 0 && n.dropped == 0 && n.sequence_gaps == 0 && n.duplicates == 0;
  for (const Output& output :
       {Output{"recording", "--record recording", &run.params}, {"raw_out", "--raw-out raw", nullptr}}) {
    const auto found = report.find(output.key);
    if (found == report.end()) continue;
    nlohmann::json& file = *found;
    const auto frames = file["frames"].get<std::uint64_t>();
    set_command(file,
                {.on_cpu = !run.backend.computes_elsewhere(),
                 .source = run.named,
                 .acquisition = run.acquisition,
                 .frames = frames,
                 .params = output.params,
                 .complete = all && frames == n.processed && file["not_recorded"] == 0},
                output.option + std::filesystem::path(file["path"].get<std::string>()).extension().string());
  }
}

namespace {

constexpr std::size_t kLongestDescription = 100'000;  // bytes: Linux limits words to 131 072

const char* name_of(TransmitKind kind) {
  constexpr std::array<const char*, 5> kNames = {"plane", "diverging", "focused", "delays", "none"};
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

nlohmann::json facts_json(const Acquisition& a) {
  nlohmann::json json;
  for (const FactRow& row : kFacts)
    if (row.member != nullptr) json[row.name] = a.*row.member;
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
                         {"assumptions", assumptions_json(a)}};
  json.update(facts_json(a));
  if (a.data == DataKind::beamformed) {  // columns of an image: transmits and receive channels are unknown
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

// Returns true if every frame up to this one is in the average, as in a run from the first one on: its number of frames
// is then that of such a run (backend/pipeline.h).
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

}  // namespace

std::string given_setting(const Acquisition& a, const Assumption& given) {
  const std::string value = given.value.empty() ? to_text(fact_of(a, *find_given(given.fact))) : given.value;
  return given.fact + "=" + value;
}

nlohmann::json given_facts_json(const Facts& facts) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : facts)
    json[name] = value.text.empty() ? nlohmann::json(value.number) : nlohmann::json(value.text);
  return json;
}

namespace {

std::string facts_words(const Acquisition& acquisition) {
  std::string words;
  for (const Assumption& assumed : acquisition.assumptions) {
    if (!assumed.given) continue;
    words += " --set " + shell_word(given_setting(acquisition, assumed));
  }
  return words;
}

// Returns the parameters that differ from the source's defaults.
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
  const FormationParams& f = params.formation;
  if (f.adaptive == Adaptive::own && f.own != nullptr) words += " --method " + shell_word(option_of(*f.own));
  for (const std::string& setting : own_settings(f)) words += " --set " + shell_word(setting);
  return words;
}

// Returns an empty text if there is a command.
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
  if (run.on_cpu) command += " --backend cpu";
  if (json.is_object()) json.erase("command_missing");
  json["command"] = command + " " + output;
}

void set_command(nlohmann::json& json, const Backend& backend, const std::string& source, const Image& image,
                 const std::string& output) {
  if (image.acquisition == nullptr) return set_no_command(json, "the image has no acquisition");
  if (image.torn_share > 0.0) return set_no_command(json, std::string(kTornFrame));
  ImagingParams params = image.params;
  const bool alone = image.averaged_frames <= 1.0;  // as for history frames and the first one of a stream
  if (alone) params.refine.persistence_s = 0.0;
  if (!alone && !averages_all(image)) {
    return set_no_command(
        json, "persistence: the image averages frames that another run need not have; freeze, or set Persistence to 0");
  }
  set_command(json,
              {.on_cpu = !backend.computes_elsewhere(),
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
  add_mask(json, image);
  return json;
}

void add_mask(nlohmann::json& json, const Image& image) {
  if (image.mask == nullptr) return;
  const LabelMask& mask = *image.mask;
  for (std::size_t k = 0; k < mask.names.size(); ++k)
    json["mask"].push_back(
        {{"label", k + 1}, {"name", mask.names[k]}, {"area_mm2", 1e6 * mask.area_m2[k]}, {"pixels", mask.pixels[k]}});
}

}  // namespace echoloop
