#include "app/bench.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/bench_measure.h"
#include "app/bench_present.h"
#include "app/choose_backend.h"
#include "history/export.h"
#include "version.h"

namespace echoloop {
namespace {

using nlohmann::json;

constexpr int kInterleaved = 5;  // copy and pipeline by turns, medians
constexpr int kLanes = 4;

class Table {
 public:
  // Adds a row and prints it. `facts`: what applies to it beside case, what and input.
  void add(const BenchCase& c, const std::string& what, json facts) {
    const bool int16 = c.acquisition->sample_type == SampleType::int16;
    json row = {{"case", c.name},
                {"what", what},
                {"input", int16 ? "int16" : "float32"},
                {"precision", "fp32"},
                {"f_number", c.params.f_number},
                {"recipe", c.params.recipe == Recipe::course ? "course" : "analytic"}};
    std::string text =
        fmt::format("{:5} {:10} {:8} F {:<4g}", c.name, what, row["input"].get<std::string>(), c.params.f_number);
    for (const auto& [key, value] : facts.items()) {
      if (value.is_number_float()) text += fmt::format("  {} {:.4g}", key, value.get<double>());
      if (value.is_string()) text += "  " + value.get<std::string>();
    }
    fmt::print("{}\n", text);
    std::fflush(stdout);
    row.update(facts);
    rows_.push_back(std::move(row));
  }
  [[nodiscard]] const json& rows() const { return rows_; }

 private:
  json rows_ = json::array();
};

void bench_stages(const BenchRun& run, Table& table) {
  const auto stages = stages_alone(run);
  for (const Stage stage : {Stage::upload, Stage::condition, Stage::beamform, Stage::envelope, Stage::compress}) {
    const StageSummary& s = stages[static_cast<std::size_t>(stage)];
    if (s.count == 0) continue;
    json facts = {{"p50_ms", s.p50_ms}, {"p99_ms", s.p99_ms}};
    std::string what(kStageNames[static_cast<std::size_t>(stage)]);
    if (stage == Stage::beamform && run.bench_case.params.recipe == Recipe::analytic) {
      what = "das";
      facts["gds"] = run.bench_case.delay_sums() / (s.p50_ms * 1e6);
      facts["rel_l2"] = beamform_error(run);
      const BenchRun points{run.backend, run.bench_case, make_bench_source(run.bench_case, BenchSignal::points), 0.0};
      facts["rel_l2_points"] = beamform_error(points);
    }
    table.add(run.bench_case, what, facts);
  }
}

void bench_pipeline(const BenchRun& run, bool device, Table& table) {
  std::vector<double> copies, pipelines;
  PipelineFigures last;
  for (int i = 0; i < (device ? kInterleaved : 1); ++i) {
    if (device) copies.push_back(copy_frames_per_second(run, HostMemory::pinned));
    last = pipeline_figures(run, kRateMax, kLanes);
    pipelines.push_back(last.frames_per_second);
  }
  json facts = {
      {"frames_per_second", median(pipelines)}, {"p50_ms", last.latency.p50_ms}, {"p99_ms", last.latency.p99_ms}};
  if (device) {
    facts["copy_frames_per_second"] = median(copies);
    facts["of_copy"] = median(pipelines) / median(copies);
  }
  table.add(run.bench_case, "pipeline", facts);
}

void bench_latency(const BenchRun& run, Table& table) {
  const PipelineFigures paced = pipeline_figures(run, 1000.0, kLanes);
  table.add(run.bench_case, "latency",
            {{"rate_hz", 1000.0}, {"p50_ms", paced.latency.p50_ms}, {"p99_ms", paced.latency.p99_ms}});
}

void bench_copy(const BenchRun& run, Table& table) {
  for (const HostMemory kind : {HostMemory::pinned, HostMemory::pageable}) {
    const double rate = copy_frames_per_second(run, kind);
    table.add(run.bench_case, "copy",
              {{"host_memory", std::string(kHostMemoryNames[static_cast<std::size_t>(kind)])},
               {"frames_per_second", rate},
               {"gigabytes_per_second", rate * static_cast<double>(run.source->acquisition()->frame_bytes()) * 1e-9}});
  }
}

void bench_one(Backend& backend, const BenchCase& c, double seconds, Table& table) {
  const BenchRun run{backend, c, make_bench_source(c, BenchSignal::noise), seconds};
  const bool device = backend.memory().free > 0;
  if (device) bench_copy(run, table);
  bench_stages(run, table);
  bench_pipeline(run, device, table);
  if (device && c.name == "S1") bench_latency(run, table);
  if (c.name != "S1") return;
  if (const auto present = bench_present(run, kLanes)) {
    table.add(c, "present",
              {{"picture", present->picture},
               {"frames_per_second", present->frames_per_second},
               {"shown_per_second", present->shown_per_second},
               {"p50_ms", present->ui_ms.p50_ms},
               {"p99_ms", present->ui_ms.p99_ms},
               {"device_wait_p99_ms", present->device_wait_ms.p99_ms}});
  }
  BenchCase course = c;
  course.params.recipe = Recipe::course;
  const PipelineFigures figures = pipeline_figures({backend, course, run.source, seconds}, kRateMax, kLanes);
  table.add(course, "pipeline",
            {{"frames_per_second", figures.frames_per_second},
             {"p50_ms", figures.latency.p50_ms},
             {"p99_ms", figures.latency.p99_ms}});
}

}  // namespace

int run_bench(const Options& options) {
  const ChosenBackend chosen = choose_backend(options.backend);
  if (!chosen.note.empty()) fmt::print(stderr, "{}\n", chosen.note);
  const std::string machine = fmt::format("{}: {}, {} CPU cores", chosen.backend->name(), chosen.backend->device(),
                                          std::thread::hardware_concurrency());
  fmt::print("{}; frames: {} s a figure; gds: 1e9 delay-sums a second, all pairs counted; rel_l2: against float64\n",
             machine, options.bench_seconds);
  Table table;
  for (const std::string& name : options.bench_cases) {
    for (const double f_number : {0.0, 1.0}) {
      for (const SampleType type : {SampleType::int16, SampleType::float32}) {
        if (name == "demo" && type == SampleType::float32) continue;
        bench_one(*chosen.backend, bench_case(name, type, f_number), options.bench_seconds, table);
      }
    }
  }
  if (options.json_out.empty()) return 0;
  const json record = {{"machine", machine},
                       {"date", fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)))},
                       {"version", kVersion},
                       {"revision", options.bench_revision},
                       {"settings", {{"seconds_a_figure", options.bench_seconds}, {"lanes", kLanes}}},
                       {"results", table.rows()}};
  write_text(options.json_out, record.dump(1) + "\n");
  return 0;
}

}  // namespace echoloop
