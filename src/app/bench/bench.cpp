#include "app/bench/bench.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/bench/bench_analyses.h"
#include "app/bench/bench_measure.h"
#include "app/bench/bench_present.h"
#include "app/bench/bench_recording.h"
#include "app/bench/bench_table.h"
#include "app/options/terminal.h"
#include "app/stream/choose_backend.h"
#include "history/export.h"
#include "history/json_text.h"
#include "version.h"

namespace echoloop {
namespace {

using nlohmann::json;

constexpr int kInterleaved = 5;  // copy and pipeline alternate; medians
constexpr int kLanes = 4;

const char* precision_name(Precision precision) { return precision == Precision::fp16 ? "fp16" : "fp32"; }

struct StagesAlone {
  Precision precision = Precision::fp32;
  double das_ms = 0.0;
};

// Where the backend works in half precision: the plain path first, then the tuned one compared with it.
StagesAlone bench_stages(const BenchRun& run, BenchTable& table) {
  const BeamformCheck noise = check_beamform(run, *run.source);
  double plain_ms = 0.0;
  if (noise.precision == Precision::fp16) {
    BenchCase plain = run.bench_case;
    plain.params.formation.precision = Precision::fp32;
    plain_ms = bench_stages({run.backend, plain, run.source, run.points, run.seconds}, table).das_ms;
  }
  const auto stages = stages_alone(run);
  double das_ms = 0.0;
  for (const Stage stage : {Stage::upload, Stage::condition, Stage::beamform, Stage::envelope, Stage::compress}) {
    const StageSummary& s = stages[static_cast<std::size_t>(stage)];
    if (s.count == 0) continue;
    json facts = {{"precision", precision_name(noise.precision)}, {"p50_ms", s.p50_ms}, {"p99_ms", s.p99_ms}};
    std::string what(kStageNames[static_cast<std::size_t>(stage)]);
    if (stage == Stage::condition) {
      facts["band_mhz"] = fmt::format("{:.2f}-{:.2f}", run.bench_case.params.formation.band_low_hz * 1e-6,
                                      run.bench_case.params.formation.band_high_hz * 1e-6);
      facts["lines_mhz"] = noise.line_rate_hz * 1e-6;
    }
    if (stage == Stage::beamform) {
      what = "das";
      das_ms = s.p50_ms;
      facts["gds"] = run.bench_case.delay_sums() / (s.p50_ms * 1e6);
      facts["rel_l2"] = noise.rel_l2;
      facts["rel_l2_points"] = check_beamform(run, *run.points).rel_l2;
      if (plain_ms > 0.0) facts["of_plain"] = plain_ms / s.p50_ms;
    }
    table.add(run.bench_case, what, facts);
  }
  return {.precision = noise.precision, .das_ms = das_ms};
}

// Copy and pipeline alternate, the medians of each; without a device the pipeline once.
json pipeline_facts(const BenchRun& run, bool device, Precision precision) {
  std::vector<double> copies, pipelines;
  PipelineFigures last;
  for (int i = 0; i < (device ? kInterleaved : 1); ++i) {
    if (device) copies.push_back(copy_frames_per_second(run, HostMemory::pinned));
    last = pipeline_figures(run, kRateMax, kLanes);
    pipelines.push_back(last.frames_per_second);
  }
  json facts = {{"precision", precision_name(precision)},
                {"frames_per_second", median(pipelines)},
                {"p50_ms", last.latency.p50_ms},
                {"p99_ms", last.latency.p99_ms}};
  if (device) {
    facts["copy_frames_per_second"] = median(copies);
    facts["of_copy"] = median(pipelines) / median(copies);
  }
  return facts;
}

void bench_latency(const BenchRun& run, Precision precision, BenchTable& table) {
  constexpr double kRateHz = 1000.0;
  constexpr double kLeastSeconds = 1.0;  // a thousand frames: p99 is then of ten
  BenchRun longer = run;
  longer.seconds = std::max(run.seconds, kLeastSeconds);
  const PipelineFigures paced = pipeline_figures(longer, kRateHz, kLanes);
  table.add(run.bench_case, "latency",
            {{"precision", precision_name(precision)},
             {"rate_hz", kRateHz},
             {"p50_ms", paced.latency.p50_ms},
             {"p99_ms", paced.latency.p99_ms}});
}

void bench_copy(const BenchRun& run, BenchTable& table) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable}) {
    const double rate = copy_frames_per_second(run, kind);
    table.add(run.bench_case, "copy",
              {{"host_memory", std::string(kHostMemoryNames[static_cast<std::size_t>(kind)])},
               {"frames_per_second", rate},
               {"gigabytes_per_second", rate * static_cast<double>(run.source->acquisition()->frame_bytes()) * 1e-9}});
  }
}

json present_facts(const PresentFigures& present, Precision precision) {
  return {{"precision", precision_name(precision)},
          {"picture", present.picture},
          {"frames_per_second", present.frames_per_second},
          {"shown_per_second", present.shown_per_second},
          {"p50_ms", present.ui_ms.p50_ms},
          {"p99_ms", present.ui_ms.p99_ms},
          {"texture_p50_ms", present.texture_ms.p50_ms},
          {"texture_p99_ms", present.texture_ms.p99_ms}};
}

// The same with a window of 3840 x 2160 pixels, alternating with the pipeline alone.
void bench_with_large_window(const BenchRun& run, Precision precision, BenchTable& table) {
  constexpr int kTurns = 3;
  std::vector<double> alone;
  const auto before_each = [&] { alone.push_back(pipeline_figures(run, kRateMax, kLanes).frames_per_second); };
  const auto present = bench_present(run, kLargeWindow, kLanes, kTurns, before_each);
  if (!present.has_value()) return;
  json facts = present_facts(*present, precision);
  facts["window"] = {kLargeWindow.width, kLargeWindow.height};
  facts["pipeline_frames_per_second"] = median(alone);
  facts["of_pipeline"] = present->frames_per_second / median(alone);
  table.add(run.bench_case, "present", facts);
}

// The pipeline with a window that shows the images at 60 Hz, alternating with the copy alone.
void bench_with_window(const BenchRun& run, bool device, Precision precision, BenchTable& table) {
  std::vector<double> copies;
  const auto before_each = [&] {
    if (device) copies.push_back(copy_frames_per_second(run, HostMemory::pinned));
  };
  const auto present = bench_present(run, kUsualWindow, kLanes, device ? kInterleaved : 1, before_each);
  if (!present.has_value()) return;
  json facts = present_facts(*present, precision);
  if (device) {
    facts["copy_frames_per_second"] = median(copies);
    facts["of_copy"] = present->frames_per_second / median(copies);
  }
  table.add(run.bench_case, "present", facts);
}

void bench_with_recorder(const BenchRun& run, Precision precision, BenchTable& table) {
  const auto figures = bench_recording(run, kLanes);
  if (!figures.has_value()) return;
  const auto gigabytes = static_cast<double>(run.source->acquisition()->frame_bytes()) * 1e-9;
  table.add(run.bench_case, "recording",
            {{"precision", precision_name(precision)},
             {"frames_per_second", figures->frames_per_second},
             {"gigabytes_per_second", figures->frames_per_second * gigabytes},
             {"disk_gigabytes_per_second", figures->disk_frames_per_second * gigabytes},
             {"of_disk", figures->frames_per_second / figures->disk_frames_per_second}});
}

void bench_one(const BenchRun& run, BenchTable& table) {
  const BenchCase& c = run.bench_case;
  const bool device = run.backend.memory().free > 0;
  const bool full_aperture = c.params.formation.f_number == 0.0;
  if (device && full_aperture) bench_copy(run, table);
  const Precision precision = bench_stages(run, table).precision;
  table.add(c, "pipeline", pipeline_facts(run, device, precision));
  const bool typical = !full_aperture && c.acquisition->sample_type == SampleType::int16;
  if (device && typical && (c.name == "S1" || c.name == "S2")) bench_with_large_window(run, precision, table);
  if (c.name != "S1" || full_aperture) return;
  if (device && typical) bench_with_recorder(run, precision, table);
  if (device) bench_latency(run, precision, table);
  bench_with_window(run, device, precision, table);
  BenchCase course = c;
  course.params.formation.recipe = Recipe::course;
  course.params.formation.f_number = 0.0;  // it has none
  table.add(course, "pipeline",
            pipeline_facts({run.backend, course, run.source, run.points, run.seconds}, device, Precision::fp32));
}

void write_record(const Options& options, const std::string& machine, const json& rows) {
  if (options.report.empty()) return;
  const json record = {{"machine", machine},
                       {"date", fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)))},
                       {"version", kVersion},
                       {"revision", options.bench_revision},
                       {"settings", {{"seconds_a_figure", options.bench_seconds}, {"lanes", kLanes}}},
                       {"results", rows}};
  write_text(options.report, json_text(record, 1) + "\n");
}

}  // namespace

int run_bench(const Options& options) {
  const ChosenBackend chosen = choose_backend(options.backend);
  if (!chosen.note.empty()) print_error("{}\n", chosen.note);
  const std::string machine = fmt::format("{}: {}, {} CPU cores", chosen.backend->name(), chosen.backend->device(),
                                          std::thread::hardware_concurrency());
  print_out(
      "{}; {} s per measurement; gds: 1e9 delay-sums per second, all pairs counted; rel_l2: relative to float64\n",
      machine, options.bench_seconds);
  BenchTable table;
  for (const std::string& name : options.bench_cases) {
    if (name == "flow") bench_flow(*chosen.backend, options.bench_seconds, table);
    if (name == "structure") bench_structure(*chosen.backend, options.bench_seconds, table);
    if (name == "methods") bench_methods(*chosen.backend, options.bench_seconds, table);
    if (name == "flow" || name == "structure" || name == "methods") {
      write_record(options, machine, table.rows());
      continue;
    }
    for (const SampleType type : {SampleType::int16, SampleType::float32}) {
      if ((name == "demo" || name == "sector") && type == SampleType::float32) continue;
      const BenchCase full_aperture = bench_case(name, type, 0.0);
      const auto noise = make_bench_source(full_aperture, BenchSignal::noise);
      const auto points = make_bench_source(full_aperture, BenchSignal::points);
      for (const double f_number : {0.0, 1.0}) {
        if (name == "sector" && f_number > 0.0) continue;  // a phased array works with all its elements
        const BenchCase c = bench_case(name, type, f_number);
        bench_one({*chosen.backend, c, noise, points, options.bench_seconds}, table);
        write_record(options, machine, table.rows());  // a run that is cut short keeps what it measured
      }
    }
  }
  return 0;
}

}  // namespace echoloop
