// Program started by `echoloop bench`: prints the speed of this machine as a short table, each figure with a
// comparison, and writes it as JSON.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/options/options.h"
#include "app/options/terminal.h"
#include "app/outputs/output_files.h"
#include "app/stream/session.h"
#include "bench/program/bench_analyses.h"
#include "bench/program/bench_measure.h"
#include "bench/program/bench_present.h"
#include "core/error.h"
#include "core/units.h"
#include "history/export.h"
#include "history/file_sinks.h"
#include "history/recorder.h"
#include "version.h"

namespace echoloop {
namespace {

// Recording while the pipeline runs, compared with writing blocks of the same size to the same folder.

struct RecordingFigures {
  double frames_per_second = 0.0;       // recorded, all of them processed as well; median of the turns
  double disk_frames_per_second = 0.0;  // write() alone, blocks of one frame; median of the turns
};

namespace fs = std::filesystem;

constexpr int kRecordingTurns = 3;
constexpr double kRecordingSeconds = 1.0;            // of a turn
constexpr std::uintmax_t kRoom = 16'000'000'000;     // bytes; a turn writes as much as the disk accepts in its time
constexpr std::uint64_t kMostBytes = 8'000'000'000;  // of a turn

// Folder of this process, removed with the object, which a signal does not prevent.
class BenchFolder {
 public:
  BenchFolder() : path_(fs::temp_directory_path() / fmt::format("echoloop-bench-{}", ::getpid())) {
    watch_interrupts();
    fs::create_directory(path_);
  }
  ~BenchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    end_at_interrupts();
  }
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

double disk_rate(const BenchRun& run, const fs::path& file) {
  const int to = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (to < 0) throw Fault(file.string(), "cannot be written", "a folder for temporary files that can be");
  const std::size_t bytes = run.source->acquisition()->frame_bytes();
  const std::int64_t begin_ns = now_ns();
  std::uint64_t frames = 0;
  bool whole = true;
  while (whole && !interrupted() && seconds_since(begin_ns) < kRecordingSeconds && frames * bytes < kMostBytes) {
    const std::span<const std::byte> samples = run.source->at(frames, {});
    whole = ::write(to, samples.data(), bytes) == static_cast<ssize_t>(bytes);
    ++frames;
  }
  const double rate = static_cast<double>(frames) / seconds_since(begin_ns);
  ::close(to);
  fs::remove(file);
  if (!whole) throw Fault(file.string(), "a write failed", "a disk with room for 16 GB");
  return rate;
}

// Returns the rate under policy `block`: the stream waits for the file.
double recording_rate(const BenchRun& run, const fs::path& file, int lanes) {
  const AcquisitionPtr& acquisition = run.source->acquisition();
  Mailbox<Image> images;
  TimingTrace trace;
  Recorder recorder(nullptr);
  recorder.start(file_sinks().front().make({.file = file, .acquisition = acquisition, .about = {.version = "bench"}}),
                 acquisition->frame_bytes());
  StreamSettings stream;
  stream.rate_hz = kRateMax;
  stream.lanes = lanes;
  stream.policy = RingPolicy::block;
  double rate = 0.0;
  {
    Session session(
        run.backend, run.source, images, trace,
        {.stream = stream, .params = run.bench_case.params, .host_copy = HostCopy::none, .sinks = {&recorder}});
    while (recorder.status().frames == 0 && !session.done() && !interrupted())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::int64_t begin_ns = now_ns();
    const std::uint64_t begin = recorder.status().frames;
    const auto enough = [&] {
      return interrupted() || seconds_since(begin_ns) >= kRecordingSeconds || recorder.status().bytes >= kMostBytes ||
             session.done();
    };
    while (!enough()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    rate = static_cast<double>(recorder.status().frames - begin) / seconds_since(begin_ns);
    session.stop();
  }
  recorder.finish();
  const RecorderStatus status = recorder.status();
  if (!status.problem.empty()) throw Fault(file.string(), status.problem, "a disk with room for 16 GB");
  if (status.not_recorded > 0)
    throw Fault(file.string(), "frames are missing in the file", "all of a stream that waits");
  fs::remove(status.path);
  return rate;
}

// Alternates between the two in the temporary folder and removes the files. Returns nullopt, with a line on stderr, if
// less than 16 GB are free.
std::optional<RecordingFigures> bench_recording(const BenchRun& run, int lanes) {
  const BenchFolder folder;
  if (const std::uintmax_t room = fs::space(folder.path()).available; room < kRoom) {
    print_error("recording: skipped: {:.1f} GB are free in {}, 16 GB are needed\n", static_cast<double>(room) * 1e-9,
                folder.path().parent_path().string());
    return std::nullopt;
  }
  std::vector<double> recorded, written;
  for (int turn = 0; turn < kRecordingTurns; ++turn) {
    written.push_back(disk_rate(run, folder.path() / "blocks"));
    recorded.push_back(recording_rate(run, folder.path() / "frames.uff", lanes));
    if (interrupted()) throw Fault("bench", "ended by a signal", "a run to its end");
  }
  return RecordingFigures{.frames_per_second = median(recorded), .disk_frames_per_second = median(written)};
}

using nlohmann::json;

constexpr int kInterleaved = 5;  // copy and pipeline alternate; medians
constexpr int kLanes = 4;

const char* precision_name(Precision precision) { return precision == Precision::fp16 ? "fp16" : "fp32"; }

struct StagesAlone {
  Precision precision = Precision::fp32;
  double das_ms = 0.0;
};

// Measures, with half precision on the backend, the plain path first, then the tuned one compared with it.
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
    std::string what(row_of(stage).key);
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

// Measures copy and pipeline in turn, with medians of each; without a device the pipeline once.
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
  constexpr double kLeastSeconds = 1.0;  // a thousand frames: p99 then has ten
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

// Same as bench_with_window(), with 3840 x 2160 pixels, alternating with the pipeline alone.
void bench_with_large_window(const BenchRun& run, Precision precision, BenchTable& table) {
  constexpr int kTurns = 7;  // turns of the same kind differ by 2 to 3 %
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

// Measures the pipeline with a window that shows the images at 60 Hz, alternating with the copy alone.
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
  course.params.formation.f_number = 0.0;  // not used by the course recipe
  table.add(course, "pipeline",
            pipeline_facts({run.backend, course, run.source, run.points, run.seconds}, device, Precision::fp32));
}

constexpr auto kCases =
    std::to_array<std::string_view>({"S1", "S1L", "S2", "demo", "sector", "flow", "structure", "methods"});

struct BenchOptions {
  std::vector<std::string> cases;
  std::string backend = "auto";
  double seconds = 0.5;  // per measurement
  std::string revision;
  fs::path json;  // empty: none
};

// Returns nullopt after printing the help.
std::optional<BenchOptions> parse_bench(const std::vector<std::string>& words) {
  BenchOptions o;
  CLI::App app("Measure the speed of this machine.", "echoloop bench");
  app.add_option("case", o.cases, fmt::format("Cases: {}; default: all", fmt::join(kCases, ", ")));
  app.add_option("--backend", o.backend, "Processing device: auto, cuda or cpu");
  add_number(app, "--seconds", o.seconds, "Duration of each measurement, 0.05 to 60")->type_name("S");
  app.add_option("--json", o.json, "Write the table as JSON")->type_name("F.json");
  app.add_option("--revision", o.revision, "Program revision for the JSON")->type_name("REV");
  if (!parse_words(app, words)) {
    print_out("{}", app.help());
    return std::nullopt;
  }
  if (!(o.seconds >= 0.05 && o.seconds <= 60.0))
    throw out_of_range("--seconds", fmt::format("{}", o.seconds), "0.05 to 60");
  if (!o.json.empty()) require_place(o.json);
  for (const std::string& name : o.cases) index_of(kCases, "bench case", name);
  if (o.cases.empty()) o.cases.assign(kCases.begin(), kCases.end());
  return o;
}

void write_record(const BenchOptions& options, const std::string& machine, const json& rows) {
  if (options.json.empty()) return;
  const json record = {{"machine", machine},
                       {"date", fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)))},
                       {"version", kVersion},
                       {"revision", options.revision},
                       {"settings", {{"seconds_a_figure", options.seconds}, {"lanes", kLanes}}},
                       {"results", rows}};
  write_text(options.json, json_text(record, 1) + "\n");
}

int run(const std::vector<std::string>& words) {
  const std::optional<BenchOptions> parsed = parse_bench(words);
  if (!parsed.has_value()) return 0;
  const BenchOptions& options = *parsed;
  const ChosenBackend chosen = choose_backend(backend_choice(options.backend));
  if (!chosen.note.empty()) print_error("{}\n", chosen.note);
  const std::string machine = fmt::format("{}: {}, {} CPU cores", chosen.backend->name(), chosen.backend->device(),
                                          std::thread::hardware_concurrency());
  print_out(
      "{}; {} s per measurement; gds: 1e9 delay-sums per second, all pairs counted; rel_l2: relative to float64\n",
      machine, options.seconds);
  BenchTable table;
  for (const std::string& name : options.cases) {
    if (bench_analysis(name, *chosen.backend, options.seconds, table)) {
      write_record(options, machine, table.rows());
      continue;
    }
    for (const SampleType type : {SampleType::int16, SampleType::float32}) {
      if ((name == "demo" || name == "sector") && type == SampleType::float32) continue;
      const BenchCase full_aperture = bench_case(name, type, 0.0);
      const auto noise = make_bench_source(full_aperture, BenchSignal::noise);
      const auto points = make_bench_source(full_aperture, BenchSignal::points);
      for (const double f_number : {0.0, 1.0}) {
        if (name == "sector" && f_number > 0.0) continue;  // a phased array uses all its elements
        const BenchCase c = bench_case(name, type, f_number);
        bench_one({*chosen.backend, c, noise, points, options.seconds}, table);
        write_record(options, machine, table.rows());  // an interrupted run keeps its results
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  echoloop::end_at_interrupts();
  prctl(PR_SET_TIMERSLACK, 1UL);  // same as the measured program
  try {
    return echoloop::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    return echoloop::say_what_ended(error);
  }
}
