#include "app/outputs/report.h"

#include <fmt/format.h>

#include "app/outputs/provenance.h"
#include "core/number.h"
#include "core/stages.h"
#include "gui/overlay/sample_fault_text.h"
#include "history/export.h"

namespace echoloop {
namespace {

nlohmann::json summary_json(const StageSummary& s) {
  return {{"p50_ms", s.p50_ms}, {"p95_ms", s.p95_ms}, {"max_ms", s.max_ms}};
}

nlohmann::json latency_json(const StageSummary& s) {
  return {{"p50", s.p50_ms}, {"p95", s.p95_ms}, {"p99", s.p99_ms}, {"max", s.max_ms}};
}

// Of the same frames where a window showed them; without one of all.
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
    for (std::size_t e = 0; e < found.elements.size(); ++e) {
      if (found.elements[e]) elements.push_back(e + 1);
    }
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
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].count > 0) report["stages"][std::string(kStages[s].key)] = summary_json(stages[s]);
  }
  report["policy"] = kPolicyNames[static_cast<std::size_t>(stream.policy)];
  report["slots"] = stream.slots;
  report["lanes"] = stream.lanes;
  report["pace_ms"] = stream.pace_ms;
  report["inject"] = to_text(stream.inject);
  report["streams"] = kStreamModeNames[static_cast<std::size_t>(stream.streams)];
  report["host_memory"] = kHostMemoryNames[static_cast<std::size_t>(session.host_memory())];
  report["frame_wait"] = kFrameWaitNames[static_cast<std::size_t>(stream.frame_wait)];
  if (const std::size_t in_place = session.memory().in_place_bytes; in_place > 0) {
    report["host_memory_bytes"] = in_place;
  }
  if (const char* why = session.why_fp32()) report["why_fp32"] = why;
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
  if (status.most_behind_s > kWorthSaying_s) {
    text += fmt::format("; the disk was up to {:.1f} s behind the stream", status.most_behind_s);
  }
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
                {.backend = run.backend,
                 .source = run.named,
                 .acquisition = run.acquisition,
                 .frames = frames,
                 .params = output.params,
                 .complete = all && frames == n.processed && file["not_recorded"] == 0},
                output.option + std::filesystem::path(file["path"].get<std::string>()).extension().string());
  }
}

}  // namespace echoloop
