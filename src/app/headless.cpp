#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "app/commands.h"
#include "app/control_run.h"
#include "app/headless_changes.h"
#include "app/image_files.h"
#include "app/opening/source_kinds.h"
#include "app/options/preset.h"
#include "app/options/terminal.h"
#include "app/outputs/comparison.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/method_server.h"
#include "app/outputs/outlets.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/outputs/run_outputs.h"
#include "app/outputs/stored_maps.h"
#include "app/own_builder.h"
#include "app/session_file.h"
#include "app/stream/session.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "core/results/live_images.h"
#include "core/units.h"
#include "gui/overlay/caption.h"
#include "history/export.h"
#include "history/rf_history.h"
#include "source/live/live_source.h"
#include "version.h"

namespace echoloop {
namespace {

struct Limits {
  std::uint64_t frames = 0;
  double seconds = 0.0;
};

// Returns the limits. Defaults: a session's frame, a recording once, 5 s of a phantom; a scanner, and a run that other
// programs control, without end.
Limits limits_for(const Options& options, const SourceInfo& info) {
  if (options.frames > 0 || options.duration_s > 0.0) return {options.frames, options.duration_s};
  if (!options.control.empty()) return {};
  if (options.session != nullptr) return {1, 0.0};
  if (info.frame_count > 0) return {info.frame_count, 0.0};
  if (info.live) return {0, 0.0};  // until interrupted
  return {0, 5.0};
}

// Returns true if no frame of the recording is needed twice, or kept until it is written.
bool reads_once(const Options& options, const Limits& limits, const SourceInfo& info) {
  const bool through = limits.frames > 0 && limits.frames <= info.frame_count;
  return options.history_bytes.value_or(0) == 0 && !names_output(options.files, {MadeOf::all_frames}) &&
         info.frame_count > 0 && (through || !options.stream.loop);
}

// Prints the notes of a scanner's connection on the terminal.
void say_notes(const std::vector<LiveNote>& notes) {
  for (const LiveNote& note : notes) print_error("{}\n", note.text);
}

void say_live_notes(Source& source) {
  if (LiveSource* const live = source.live()) say_notes(live->take_notes());
}

// Returns the reason why the stream ends, for the sender of a scanner.
std::string end_reason(const Session& session, const Options& options) {
  if (interrupted()) return "the viewer was ended by a signal";
  if (const std::string fault = session.fault(); !fault.empty()) return fault;
  if (session.producer_state() == ProducerState::changed)
    return "the description changed: a viewer that writes all frames to a file ends then";
  if (const std::string report = session.producer_report(); !report.empty()) return report;
  if (options.frames > 0 && session.counts().processed >= options.frames)
    return fmt::format("the viewer has processed its {} (--frames)", counted(options.frames, "frame"));
  return "the viewer has run for its time (--duration)";
}

// Waits for the end of the stream or of the time limit and stops it; returns the seconds since it started. Frames in
// process are finished, and count with their time. After a signal this is short.
double run_to_end(Session& session, OpenedSource& opened, const Options& options, const Outlets& outlets,
                  double limit_s, ControlRun* control) {
  const auto elapsed_s = [&] { return static_cast<double>(now_ns() - session.started_ns()) * 1e-9; };
  // A recording's end counts in the measured time; a scanner's stream has no end.
  const std::chrono::milliseconds between_looks{opened.info.live ? 10 : 1};
  LiveSource* const live = opened.source->live();
  RedefinedMethod method(session, opened, options);
  try {
    while (!interrupted() && (limit_s <= 0.0 || elapsed_s() < limit_s) && (control == nullptr || !control->ends())) {
      say_live_notes(*opened.source);
      const bool stays = control != nullptr && options.frames == 0;
      if (!follow_acquisition(session, opened, options) && session.done() && !stays) break;
      method.look(control);
      session.advance();
      control != nullptr ? control->wait(between_looks) : std::this_thread::sleep_for(between_looks);
    }
    if (control != nullptr) control->end();
  } catch (const std::exception& error) {  // for example, another stream does not fit
    if (live != nullptr) live->set_end_reason(error.what());
    throw;
  }
  const std::string why = end_reason(session, options);
  const double waited_s = elapsed_s();
  const std::uint64_t processed = session.counts().processed;
  outlets.end_waits();
  if (interrupted())
    session.stop_soon();
  else
    session.stop();
  if (live != nullptr) live->end_service(why);  // before files are finished, which may be slow
  if (!interrupted()) outlets.deliver();
  return session.counts().processed > processed ? elapsed_s() : waited_s;
}

// Wait for a sender: as long as --duration allows, until a signal.
class SenderWait {
 public:
  explicit SenderWait(const Options& options) : limit_s_(options.duration_s), policy_(options.stream.policy) {}

  [[nodiscard]] std::stop_token token() const { return ended_.get_token(); }
  void begin(const LiveWaiting& waiting) {
    watch_interrupts();  // before the line is printed, as a script may answer it by a signal
    const LiveStatus status = waiting.status();
    print_error("Waiting for a sender at {}. {}\n", status.address, status.reach);
    waiting.set_policy(policy_);
    clock_ = std::jthread([this, waiting, since_ns = now_ns()](const std::stop_token& opened) {
      while (!opened.stop_requested() && !ended_.stop_requested()) {
        if (interrupted() || (limit_s_ > 0.0 && static_cast<double>(now_ns() - since_ns) * 1e-9 >= limit_s_))
          ended_.request_stop();
        say_notes(waiting.take_notes());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }
  void end() { clock_ = {}; }
  // Returns the reason for no sender; empty: one connected, or the source is no scanner.
  [[nodiscard]] std::string why_none() const {
    if (!ended_.stop_requested()) return {};
    if (interrupted()) return "interrupted before a description was accepted";
    return fmt::format(
        "no description of a sender was accepted within {} s (--duration); start the sender, or omit --duration to "
        "wait for it",
        limit_s_);
  }

 private:
  const double limit_s_;
  const RingPolicy policy_;
  std::stop_source ended_;
  std::jthread clock_;
};

// Returns nullopt if no sender connected; prints the reason.
std::optional<OpenedSource> open_or_wait(const Options& options) {
  SenderWait wait(options);
  try {
    OpenedSource opened = open_source(options.source, options.facts, {}, wait.token(),
                                      [&wait](const LiveWaiting& waiting) { wait.begin(waiting); });
    wait.end();
    return opened;
  } catch (const Error&) {
    wait.end();
    const std::string why = wait.why_none();
    if (why.empty()) throw;
    print_error("echoloop: {}: {}\n", options.source, why);
    return std::nullopt;
  }
}

bool wants_picture(const OutputFiles& files) { return names_output(files, {MadeOf::last_image, MadeOf::window}); }

// Prints errors, and the ends of recordings. Returns the exit status; counts the errors.
int say_how_it_ended(const Options& options, const Limits& limits, Session& session, const FrameOutputs& files,
                     RunTotals& totals) {
  int status = 0;
  const bool complete = limits.frames > 0 && session.counts().processed >= limits.frames;
  if (const std::string refusal = session.take_refusal(); !refusal.empty()) print_error("{}\n", refusal);
  const std::string fault = session.fault();  // may have caused the producer's error
  const std::string problem = fault.empty() ? session.producer_report() : fault;
  // A signal can arrive before a stream with the new description has begun.
  const bool to_follow = interrupted() && session.producer_state() == ProducerState::changed;
  if (!problem.empty() && !complete && !to_follow) {  // otherwise the request is fulfilled
    if (options.command == Command::render && !session.usable())
      throw Fault(options.source, problem, "a device that works");  // it goes to another one
    print_error("echoloop: {}\n", problem);
    ++totals.errors;
    // An unreadable file is bad input; one lost while reading is a fault of the run.
    const bool lost = files_were_lost() || session.counts().processed > 0;
    status = session.producer_state() == ProducerState::failed && !lost ? 2 : 1;
  }
  if (const std::string why = own_method_fault(); !why.empty() && status == 0) {
    print_error("echoloop: {}; delay-and-sum from that frame on\n", why);
    ++totals.errors;
    status = 1;
  }
  if (const std::string why = python_method_fault(); !why.empty() && status == 0) {
    print_error("echoloop: {}\n", why);
    ++totals.errors;
    status = 1;
  }
  const int ended_early = files.say_how_they_ended(totals);
  if (status == 0) status = ended_early;
  if (status == 0 && options.frames > 0 && !complete && !interrupted() && limits.seconds <= 0.0)
    print_error("The source ended after {} of {}\n", session.counts().processed, counted(options.frames, "frame"));
  return status;
}

// Adds "scanner": statistics of a sender; "recorded": frames lost according to its recording.
void add_scanner(nlohmann::json& report, const OpenedSource& opened) {
  if (opened.info.scanner_times)
    report["recorded"] = {{"lost_at_sender", opened.info.recorded_lost}, {"missing", opened.info.recorded_missing}};
  const LiveSource* const live = opened.source->live();
  if (live == nullptr) return;
  const LiveStatus s = live->status();
  report["scanner"] = {{"sender", s.sender},
                       {"transport", s.transport},
                       {"clock", s.clock},
                       {"clock_offset_ms", static_cast<double>(s.clock_offset_ns) * 1e-6},
                       {"clock_within_ms", static_cast<double>(s.clock_within_ns) * 1e-6},
                       {"connections", s.connections},
                       {"frames", s.frames},
                       {"faults", s.faults},
                       {"invalid_samples", s.checked.of(SampleFault::invalid).samples},
                       {"checked_frames", s.checked.frames},
                       {"checked_samples", s.checked.samples},
                       {"clipped_samples", s.checked.of(SampleFault::clipped).samples},
                       {"silent_samples", s.checked.of(SampleFault::silent).samples}};
}

// Returns the part of --preset that is not applied; empty: none.
std::string preset_note(const Options& options, const Acquisition& acquisition) {
  return options.preset.preset == nullptr ? "" : why_not_whole(*options.preset.preset, acquisition);
}

// Prints notes, only when the stream runs: a rejected run prints its reason in one line.
void say_notes(const std::string& backend_note, const Options& options, const Acquisition& acquisition,
               const ImagingParams& params) {
  if (!backend_note.empty()) print_error("{}\n", backend_note);
  if (const std::string why = preset_note(options, acquisition); !why.empty()) print_error("{}\n", why);
  if (const std::string warning = formation_warning(acquisition, params); !warning.empty())
    print_error("Warning: {}\n", warning);
}

// Prints faults of the samples of all processed frames, for a scanner of the checked ones.
void say_faults(const OpenedSource& opened) {
  const LiveSource* const live = opened.source->live();
  SampleFaults faults;
  if (live != nullptr) faults = live->status().checked;
  if (opened.info.samples != nullptr) faults = opened.info.samples->since_start();
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    if (faults.found[i].samples == 0) continue;
    SampleFaults one{.frames = faults.frames, .samples = faults.samples};
    one.found[i] = faults.found[i];
    fmt::print(stderr, "Warning: {} {}\n", faults_sentence(one), kSampleFaultRows[i].help);
  }
}

// Prints doubts as `info` does, with the recording's name, as several recordings may run at once. The stream reports a
// lost file.
std::vector<Doubt> say_doubts(FirstFrameDoubts& first_frame, const OpenedSource& opened) {
  std::vector<Doubt> doubts;
  try {
    doubts = first_frame.take();
  } catch (const std::exception& error) {
    if (!files_were_lost()) print_error("Warning: {}: facts not checked: {}\n", opened.info.name, error.what());
  }
  for (const Doubt& doubt : doubts) print_error("echoloop: {}: doubt: {}\n", opened.info.name, doubt_line(doubt));
  return doubts;
}

std::vector<FigurePlan> planned_images(const Acquisition& acquisition, const ImagingParams& params,
                                       const std::optional<SideA>& a) {
  if (!a) return {{acquisition, params}};
  return {{a->recording ? *a->recording->info.acquisition : acquisition, a->params}, {acquisition, params}};
}

// Prints the run in one line.
void say_summary(const OpenedSource& opened, const Backend& backend, const RingCounts& counts,
                 const nlohmann::json& report) {
  print_out("{}: {} in {:.2f} s, {:.1f} frames/s on {} ({}), {} dropped, latency p50 {:.2f} ms p95 {:.2f} ms\n",
            opened.info.name, counted(counts.processed, "frame"), report["seconds"].get<double>(),
            report["frames_per_second"].get<double>(), backend.name(), backend.device(),
            counts.dropped + counts.refused, report["latency_ms"]["p50"].get<double>(),
            report["latency_ms"]["p95"].get<double>());
}

// Facts known before the stream starts.
struct RunPlan {
  const Options& options;
  const ChosenBackend& chosen;
  OpenedSource& opened;
  const AcquisitionPtr described;  // a scanner may describe other frames later
  const Marks& marks;
  const ImagingParams params;
  const Limits limits;
  std::optional<SideA> side_a;
};

RunPlan plan_run(const Options& options, const ChosenBackend& chosen, OpenedSource& opened, const Marks& marks) {
  const AcquisitionPtr described = opened.info.acquisition;
  RunPlan plan{options,
               chosen,
               opened,
               described,
               marks,
               given_params(options, default_params(*described), *described),
               limits_for(options, opened.info),
               {}};
  require_live_outputs(options.files, plan.params);
  if (options.compare.wanted()) plan.side_a = open_side_a(options.compare, opened, plan.params);
  require_figure_size(options, options.source, planned_images(*described, plan.params, plan.side_a));
  return plan;
}

SessionOptions stream_of(const RunPlan& plan, const ImageSinks& sinks, LiveImages& live, PastImages& past) {
  const Options& options = plan.options;
  const SavedSession* const saved = options.session.get();
  return {.stream = options.stream,
          .params = plan.params,
          .max_frames = plan.limits.frames,
          .host_copy = wants_picture(options.files) || sinks.taker() || !options.control.empty() ? HostCopy::made
                                                                                                 : HostCopy::none,
          .on_image = sinks.taker(),
          .pixels = sinks.pixel_taker(),
          .method_limit_s = options.method_limit_s.value_or(
              options.stream.policy == RingPolicy::block ? kMethodLimit_s : kLiveMethodLimit_s),
          .samples = plan.opened.info.samples,
          .past = wants_measures(options.files, plan.marks) || plan.side_a ? &past : nullptr,
          .analyses = live.analyses(),
          .first_frame = saved != nullptr ? saved->frame : 0,
          .held_reference_db = saved != nullptr ? saved->held_reference_db : kAutoReference,
          .reads_once = reads_once(options, plan.limits, plan.opened.info),
          .host_share = options.host_share};
}

// A run after the end of its stream.
struct StoppedRun {
  const RunPlan& plan;
  Session& session;
  LiveImages& live;
  const TimingTrace& trace;
  ImageSinks& sinks;
  FrameOutputs& files;
  RunTotals totals;
  const Image* image;  // last one; null: none
  std::vector<Doubt> doubts;
};

// Returns the report, and writes the files of analyses.
nlohmann::json report_of(const StoppedRun& run, FileWriter& writer) {
  const auto& [options, chosen, opened, described, marks, params, limits, side_a] = run.plan;
  const Backend& backend = *chosen.backend;
  const ImagingParams& made_with = run.image != nullptr ? run.image->params : params;
  nlohmann::json report = make_report(backend, run.session, options.source, made_with, run.trace, run.totals);
  report["given"] = given_json(options);
  if (const std::string why = preset_note(options, *described); !why.empty()) report["preset"] = why;
  add_doubts(report, run.doubts);
  if (options.doubts) add_tested(report, *described);
  add_scanner(report, opened);
  report["samples"] = samples_json(opened.info.samples, run.image != nullptr ? run.image->stamp : FrameStamp{});
  run.sinks.add_to(report);
  end_live_outputs(
      {.files = options.files, .source = options.source, .params = params, .backend = backend, .session = run.session},
      run.live, report, writer);
  run.files.add_to(report);
  add_commands(report, {.named = options.source,
                        .acquisition = described,
                        .params = made_with,
                        .backend = backend,
                        .counts = run.session.counts()});
  return report;
}

void write_images_of(const StoppedRun& run, FileWriter& writer) {
  const RunPlan& plan = run.plan;
  const Options& options = plan.options;
  const ImagedRun imaged{.options = options,
                         .window = options,
                         .info = plan.opened.info,
                         .source = *plan.opened.source,
                         .named = options.source,
                         .backend = *plan.chosen.backend,
                         .session = run.session,
                         .live = run.live,
                         .marks = plan.marks,
                         .doubts = &run.doubts};
  std::unique_ptr<const ImageA> a;
  if (plan.side_a)
    writer([&] { a = make_image_a(*plan.side_a, options.compare, run.session, plan.opened, *run.image); });
  if (!plan.side_a || a != nullptr) write_image_files(imaged, *run.image, a.get(), writer);
  if (!options.files["--screenshot"].empty())
    writer([&] { write_screenshot(imaged, *run.image, run.trace, run.totals); });
}

// Writes all files, prints the result; returns the exit status.
int end_run(StoppedRun& run, int status) {
  const Options& options = run.plan.options;
  const Backend& backend = *run.plan.chosen.backend;
  FileWriter writer;
  writer([&] {
    status = std::max(status, run.sinks.finish({run.image, backend, options.source, &run.doubts}, run.totals));
  });
  nlohmann::json report = report_of(run, writer);
  say_faults(run.plan.opened);
  if (run.image != nullptr) write_images_of(run, writer);
  const bool reported = run.image == nullptr && status != 0;  // the reason for no image
  if (!reported && wants_picture(options.files) && run.image == nullptr)
    writer([&] { throw Error(options.source, "no frame was processed", "a run of at least one frame"); });
  if (!reported) writer([&] { run.sinks.require_files(); });
  write_times(options.files, run.trace, writer);
  if (const auto& file = options.files["--traces-out"]; !file.empty())
    writer([&] { write_traces(file, run.plan.opened.info); });
  report["frames"]["errors"] = run.totals.errors + writer.refused();
  writer([&] { write_report(options.files, report); });
  say_summary(run.plan.opened, backend, run.session.counts(), report);
  run.sinks.print_summaries();
  writer.require_all();
  return status;
}

// Runs one source; with `control` until another one is to follow, or to the end.
int run_source(const Options& options, const ChosenBackend& chosen, OpenedSource& opened, ControlRun* control) {
  Marks marks = marks_of(options);
  const RunPlan plan = plan_run(options, chosen, opened, marks);
  LiveImages live;
  PastImages past;  // for points, which are beamformed again
  TimingTrace trace;
  watch_interrupts();
  ImageSinks sinks({.options = options,
                    .source = opened.info,
                    .named = options.source,
                    .params = plan.params,
                    .when_full = WhenFull::wait});
  RfHistory history(options.history_bytes.value_or(0));
  FrameOutputs files(options.files, plan.described,
                     {.version = kVersion,
                      .parameters = json_text(params_json(plan.params)),
                      .device_hz = opened.source->device_hz(),
                      .format = options.record_format},
                     history);
  FirstFrameDoubts first_frame(opened, *files.sinks().front());
  if (!options.doubts) first_frame.leave();
  const auto outlets = std::make_shared<Outlets>(options, Tap::Blocking::allowed);
  Outlets::watch(outlets, live);
  SessionOptions stream = stream_of(plan, sinks, live, past);
  stream.outlets = {outlets};
  stream.sinks = files.sinks();
  stream.sinks.insert(stream.sinks.begin(), &first_frame);
  outlets->wait_for_reader([] { return !interrupted(); });
  Session session(*chosen.backend, opened.source, live.images, trace, std::move(stream));
  say_notes(chosen.note, options, *plan.described, plan.params);
  if (control != nullptr) control->begin({session, opened, live, trace, plan.params});
  const double seconds = run_to_end(session, opened, options, *outlets, plan.limits.seconds, control);
  StoppedRun run{plan, session, live, trace, sinks, files, {.seconds = seconds}, nullptr, {}};
  say_live_notes(*opened.source);
  files.finish();
  if (control != nullptr && control->goes_on()) return 0;
  if (control != nullptr) marks = control->state().marks;
  const int status = say_how_it_ended(options, plan.limits, session, files, run.totals);
  (void)live.images.take();
  if (live.images.front().number > 0) run.image = &live.images.front();
  run.doubts = say_doubts(first_frame, opened);
  const int ended = end_run(run, status);
  return ended == 0 && options.strict && !run.doubts.empty() ? kDoubted : ended;
}

}  // namespace

int run_headless(const Options& options) {
  require_outputs(options);
  const ChosenBackend chosen = choose_backend(options.backend);
  try {
    return run_headless(options, chosen);
  } catch (const NoDeviceMemory& error) {  // before the first frame
    if (options.backend != DeviceChoice{} || options.source.starts_with(kLivePrefix)) throw;
    return run_headless(options, {make_cpu_backend(), fmt::format("Using the CPU: {}", error.what())});
  }
}

int run_headless(const Options& options, const ChosenBackend& chosen) {
  require_outputs(options);
  std::optional<ControlRun> control;
  if (!options.control.empty()) control.emplace(options, *chosen.backend);
  std::optional<OpenedSource> source = open_or_wait(options);
  if (!source) return 1;
  if (!control) return run_source(options, chosen, *source, nullptr);
  Options now = options;
  int status = 0;
  do {
    status = run_source(now, chosen, *source, &*control);
  } while (control->take_next(now, *source));
  return status;
}

}  // namespace echoloop
