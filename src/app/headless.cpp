#include "app/headless.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/choose_backend.h"
#include "app/open_source.h"
#include "app/pictures.h"
#include "app/report.h"
#include "app/session.h"
#include "core/error.h"
#include "core/units.h"
#include "history/export.h"
#include "version.h"

namespace echoloop {
namespace {

volatile std::sig_atomic_t interrupted = 0;

struct Limits {
  std::uint64_t frames = 0;
  double seconds = 0.0;
};

// Without limits: a recording once through, a phantom for five seconds.
Limits limits_for(const Options& options, const SourceInfo& info) {
  if (options.frames > 0 || options.duration_s > 0.0) return {options.frames, options.duration_s};
  if (info.frame_count > 0) return {info.frame_count, 0.0};
  return {0, 5.0};
}

void require_folder(const std::filesystem::path& file) {
  if (file.empty()) return;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder)) {
    throw Error(file.string(), "there is no folder " + folder.string(), "a file in an existing folder");
  }
}

void require_outputs(const Options& options) {
  for (const auto* file :
       {&options.image_out, &options.png, &options.screenshot, &options.report, &options.trace, &options.record}) {
    require_folder(*file);
  }
  if (!options.image_out.empty() && options.image_out.extension() != ".npy") {
    throw Error("--image-out", "found '" + options.image_out.string() + "'", "a name that ends in .npy");
  }
}

// Waits for the end of the stream or of the time allowed; returns the seconds that passed.
double wait_for_end(Session& session, double limit_s) {
  const std::int64_t begin = now_ns();
  const auto elapsed_s = [begin] { return static_cast<double>(now_ns() - begin) * 1e-9; };
  while (!session.done() && interrupted == 0 && (limit_s <= 0.0 || elapsed_s() < limit_s)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return elapsed_s();
}

}  // namespace

int run_headless(const Options& options) {
  require_outputs(options);
  ChosenBackend chosen = choose_backend(options.backend);
  if (!chosen.note.empty()) fmt::print(stderr, "{}\n", chosen.note);
  const OpenedSource opened = open_source(options.source);
  const Acquisition& acquisition = *opened.info.acquisition;
  const ImagingParams params = apply_settings(default_params(acquisition), options.settings);
  const Limits limits = limits_for(options, opened.info);

  Mailbox<Image> images;
  TimingTrace trace;
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  const bool wants_picture = !options.image_out.empty() || !options.png.empty() || !options.screenshot.empty();
  RfHistory history(options.history_bytes.value_or(0));
  Recorder recorder(&history);
  const bool records = !options.record.empty();
  if (records) {
    recorder.start(options.record, opened.info.acquisition,
                   {.version = kVersion, .parameters = params_json(params).dump()});
  }
  Session session(*chosen.backend, opened.source, images, trace,
                  {.stream = options.stream,
                   .params = params,
                   .max_frames = limits.frames,
                   .host_images = wants_picture,
                   .history = history.budget_bytes() > 0 ? &history : nullptr,
                   .recorder = records ? &recorder : nullptr});
  if (const std::string warning = formation_warning(acquisition, params); !warning.empty()) {
    fmt::print(stderr, "Warning: {}\n", warning);
  }
  RunTotals totals;
  totals.seconds = wait_for_end(session, limits.seconds);
  session.stop();
  recorder.finish();

  const bool have_image = images.take();
  int status = 0;
  const bool complete = limits.frames > 0 && session.counts().processed >= limits.frames;
  for (const std::string& problem : {session.fault(), session.producer_report()}) {
    if (problem.empty() || complete) continue;  // what was asked for has been done
    fmt::print(stderr, "echoloop: {}\n", problem);
    ++totals.errors;
    status = 1;
  }
  const RecorderStatus recording = recorder.status();
  if (!recording.problem.empty()) {
    fmt::print(stderr, "echoloop: {}\n", recording_text(recording));
    ++totals.errors;
    status = 1;
  } else if (records) {
    fmt::print(recording.not_recorded > 0 ? stderr : stdout, "{}\n", recording_text(recording));
  }
  if (status == 0 && options.frames > 0 && !complete && interrupted == 0 && limits.seconds <= 0.0) {
    fmt::print(stderr, "The source ended after {} of {} frames\n", session.counts().processed, options.frames);
  }
  if (wants_picture && !have_image)
    throw Error(options.source, "no frame was processed", "a run of at least one frame");
  const nlohmann::json about = program_json(*chosen.backend, options.source);
  const ImagingParams& made_with = have_image ? images.front().params : params;
  nlohmann::json report = make_report(*chosen.backend, session, options.source, made_with, trace, totals);
  if (records) report["recording"] = recording_json(recording);
  if (!options.image_out.empty()) write_image_npy(options.image_out, images.front(), about);
  if (!options.png.empty()) write_picture(options.png, images.front(), images.front().params);
  if (!options.screenshot.empty()) {
    write_screenshot(options, opened, session, *chosen.backend, images.front(), trace, totals);
  }
  if (!options.trace.empty()) write_text(options.trace, trace.chrome_json());
  if (!options.report.empty()) write_text(options.report, report.dump(1) + "\n");

  const RingCounts counts = session.counts();
  fmt::print("{}: {} frames in {:.2f} s, {:.1f} frames/s on {} ({}), {} dropped, latency p50 {:.2f} ms p95 {:.2f} ms\n",
             opened.info.name, counts.processed, totals.seconds, report["frames_per_second"].get<double>(),
             chosen.backend->name(), chosen.backend->device(), counts.dropped + counts.refused,
             report["latency_ms"]["p50"].get<double>(), report["latency_ms"]["p95"].get<double>());
  return status;
}

int run_without_display(Options options) {
  const std::filesystem::path folder = "echoloop-out";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(folder.string(), error.message(), "a writable folder, or --headless with files of your choice");
  fmt::print("No display: running offscreen for a few seconds ...\n");
  std::fflush(stdout);
  if (options.png.empty()) options.png = folder / "picture.png";
  if (options.report.empty()) options.report = folder / "report.json";
#if defined(ECHO_HAVE_GUI)
  if (options.screenshot.empty()) options.screenshot = folder / "window.png";
#endif
  const int status = run_headless(options);
  fmt::print("Picture: {}\n", options.png.string());
  if (!options.screenshot.empty()) fmt::print("Window:  {}\n", options.screenshot.string());
  fmt::print("Report:  {}\n", options.report.string());
  return status;
}

}  // namespace echoloop
