// Commands that need no window.
#include "app/commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/lesson.h"
#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "app/options/preset.h"
#include "app/options/terminal.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/run_outputs.h"
#include "app/own_builder.h"
#include "backend/sound_speed.h"
#include "core/error.h"
#include "core/results/live_images.h"
#include "core/units.h"
#include "formats/file_outline.h"
#include "formats/live_description.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"
#include "history/export.h"
#include "history/film.h"
#include "history/hdf5_recording.h"
#include "senders/echoloop_sender.h"
#include "source/live/live_listener.h"
#include "transport/file_descriptor.h"

namespace echoloop {

int run_list_devices() {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const std::vector<Gpu> gpus = list_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    print_out("{}  {}, {:.0f} GiB, {:.0f} GiB free\n", i, gpus[i].name, static_cast<double>(gpus[i].memory) / kGiB,
              static_cast<double>(gpus[i].free) / kGiB);
  }
  std::string why_not;
  if (gpus.empty() && make_cuda_backend(why_not) == nullptr) print_out("No GPU: {}\n", why_not);
  return 0;
}

int run_describe(const std::filesystem::path& file) {
  const FileOutline outline = outline_file(file);
  if (!outline.format.empty())  // a file with an incomplete description next to it no longer opens
    print_out("// opens as {} without a description; one with \"data\" takes precedence\n", outline.format);
  print_out("{}", description_template(outline, file.filename().string()));
  return 0;
}

int run_repair(const std::filesystem::path& file) {
  const RepairedRecording repaired = repair_recording(file);
  print_out("{}: {}\n", repaired.path.string(), counted(repaired.frames, "frame"));
  return 0;
}

namespace {

// Returns the pixels of all regions among the marks; empty: none.
std::vector<std::uint32_t> region_pixels(const Marks& marks, const Grid& grid) {
  std::vector<std::uint32_t> all;
  bool any = false;
  for (const Mark& mark : marks.list) {
    if (!is_region(mark.kind)) continue;
    any = true;
    const RegionPixels pixels = pixels_in(region_of(mark), grid);
    std::vector<std::uint32_t> joined;
    std::ranges::set_union(all, pixels.index, std::back_inserter(joined));
    all = std::move(joined);
  }
  if (any && all.empty()) throw Error("--marks", "no pixel of the image lies in the regions", "regions in the image");
  return all;
}

nlohmann::json curve_json(const SoundSpeedCurve& curve) {
  if (curve.phi.empty()) return nullptr;
  return {
      {"phi", curve.phi}, {"peak_m_s", curve.peak_m_s}, {"prominence", curve.prominence}, {"warnings", curve.warnings}};
}

void say(const char* axis, const SoundSpeedCurve& curve) {
  if (curve.phi.empty()) return;
  print_out("Speed of sound over {}: {:.1f} m/s, prominence {:.1f} %\n", axis, curve.peak_m_s,
            100.0 * curve.prominence);
  for (const std::string& warning : curve.warnings) print_error("Warning: {}: {}\n", axis, warning);
}

}  // namespace

int run_find_sound_speed(const Options& options) {
  require_outputs(options);
  require_no_other_output(options.files, "--find-sound-speed");
  const Marks marks = marks_of(options);
  const ChosenBackend chosen = choose_backend(options.backend);
  const OpenedSource opened = open_source(options.source, options.facts);
  const Acquisition& acquisition = *opened.info.acquisition;
  const ImagingParams params = given_params(options, default_params(acquisition), acquisition);
  check_params(acquisition, params);
  FrameStamp stamp;
  stamp.source_index = options.frames > 0 ? options.frames - 1 : 0;
  const std::optional<KeptFrame> frame = frame_again(*opened.source, stamp);
  if (!frame) {
    throw Error(options.source, fmt::format("frame {} cannot be read again", stamp.source_index + 1),
                "a recording or a phantom, and a frame within it");
  }
  SoundSpeedTask task{.acquisition = opened.info.acquisition,
                      .params = params,
                      .grid = sound_speed_grid(params, acquisition),
                      .pixels = {},
                      .speeds_m_s = speeds_around(params.formation.sound_speed_m_s)};
  task.pixels = region_pixels(marks, task.grid);
  if (options.preset.preset != nullptr) {
    const std::string why = why_not_whole(*options.preset.preset, acquisition);
    if (!why.empty()) print_error("{}\n", why);
  }
  const SoundSpeedResult found = find_sound_speed(*chosen.backend, task, frame->frame);
  const nlohmann::json json = {{"source", options.source},
                               {"frame", stamp.source_index},
                               {"assumed_m_s", params.formation.sound_speed_m_s},
                               {"f_number", search_f_number(params)},
                               {"image_f_number", params.formation.f_number},
                               {"pixels", task.pixels.empty() ? task.grid.pixels() : task.pixels.size()},
                               {"region", task.pixels.empty() ? "image" : "marks"},
                               {"speed_m_s", task.speeds_m_s},
                               {"elements", curve_json(found.elements)},
                               {"transmits", curve_json(found.transmits)}};
  write_text(options.files["--find-sound-speed"], json_text(json, 2) + "\n");
  if (const std::string note = search_f_number_note(params); !note.empty()) print_out("{}\n", note);
  say("elements", found.elements);
  say("transmits", found.transmits);
  return 0;
}

namespace {

constexpr int kPatience_ms = 100;  // between two checks for an interrupt

// Lists addresses on this machine whose viewer is running: it holds the lock next to its socket.
int list_viewers() {
  std::error_code ignored;
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(live_folder(), ignored)) {
    if (entry.path().extension() != ".sock") continue;
    const FileDescriptor lock(::open((entry.path().string() + ".lock").c_str(), O_RDWR | O_CLOEXEC));
    if (lock.get() < 0 || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) continue;
    print_out("{}{}\n", kLivePrefix, entry.path().stem().string());
    ++found;
  }
  if (found == 0)
    print_out("No viewer has a name on this machine (TCP ports are not listed). Start one: echoloop live:\n");
  return 0;
}

using SenderHandle = std::unique_ptr<echoloop_sender, decltype(&echoloop_close)>;

// Describes the frames until the viewer answers. Throws Error if it rejects them; false after an interrupt.
bool describe(echoloop_sender* sender, const std::string& json, const std::string& address) {
  std::string said;
  int status = echoloop_describe(sender, json.c_str(), kPatience_ms);
  while (status != ECHOLOOP_OK && !interrupted()) {
    const std::string message = echoloop_message(sender);
    if (status == ECHOLOOP_REFUSED) throw Error::from_line(message);
    std::string line = "Waiting for a viewer at " + address;
    if (message.starts_with("busy")) line += ": " + message;
    if (status == ECHOLOOP_NO_VIEWER && line != said) print_error("{}\n", said = line);
    status = echoloop_describe(sender, json.c_str(), kPatience_ms);
  }
  return status == ECHOLOOP_OK;
}

// Sends a frame, or loses it without a viewer, or while its stream has stopped. Returns false after an interrupt.
bool send(echoloop_sender* sender, std::span<const std::byte> samples, int& last_status) {
  for (;;) {
    const int status = echoloop_send(sender, samples.data(), samples.size(), nullptr, kPatience_ms);
    if (status == ECHOLOOP_REFUSED || status == ECHOLOOP_BAD_CALL) throw Error::from_line(echoloop_message(sender));
    if (status != last_status && status != ECHOLOOP_TIMEOUT) {
      if (status == ECHOLOOP_NO_VIEWER) print_error("No viewer: frames are lost until one is there\n");
      if (status == ECHOLOOP_STOPPED) print_error("The viewer stopped: {}\n", echoloop_message(sender));
      last_status = status;
    }
    if (status != ECHOLOOP_TIMEOUT) return true;
    if (interrupted()) return false;
  }
}

void wait_until(std::int64_t due_ns) {
  constexpr std::int64_t kLongest_ns = 50'000'000;
  for (std::int64_t now = now_ns(); now < due_ns && !interrupted(); now = now_ns())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(due_ns - now, kLongest_ns)));
}

}  // namespace

int run_method(const std::filesystem::path& new_file) {
  constexpr std::size_t kMostHeader_mb = 1;
  const std::filesystem::path examples = share_folder() / "assets" / "methods";
  if (new_file.empty()) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& folder : {examples, own_method_headers() / "dsp" / "methods"})
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (read_small_file(entry.path(), kMostHeader_mb, "a header").find("\nvoid run_method(MethodTag<") !=
            std::string::npos)
          files.push_back(entry.path());
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) print_out("{}\n", file.string());
    return 0;
  }
  if (std::filesystem::exists(new_file)) throw Error(new_file.string(), "exists", "the name of a new file");
  const std::string text = read_small_file(examples / "wiener.h", kMostHeader_mb, "an example");
  std::ofstream file(new_file);
  file << text;
  if (!file.flush()) throw Error(new_file.string(), "cannot be written", "another folder");
  print_out("{}\nUse it: echoloop --method {}\n", new_file.string(), new_file.string());
  return 0;
}

int run_send(const std::string& named, const SendOptions& options, const StreamSettings& stream, std::uint64_t frames) {
  if (options.list_viewers) return list_viewers();
  const LiveAddress address = parse_live_address(options.send_to);
  (void)read_token(address);  // throws here, as the sender gives no cause
  const OpenedSource opened = open_source(named);
  SeekableSource* const source = opened.source->seekable();
  if (source == nullptr) throw Error(named, "a scanner", "a recording or a phantom to send");
  watch_interrupts();
  const SenderHandle sender(echoloop_open(options.send_to.c_str(), "echoloop send"), &echoloop_close);
  if (sender == nullptr) throw Error(options.send_to, "no address", "live:NAME or live:tcp:HOST:PORT[,token=FILE]");
  // Beside the viewer's threads; without effect on small frames and over TCP.
  constexpr int kMostCopiers = 8;
  echoloop_copy_threads(sender.get(),
                        std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, kMostCopiers));
  if (!describe(sender.get(), live_description_json(*opened.info.acquisition, opened.info.name), address.text))
    throw Fault(address.text, "interrupted before a viewer had accepted the description", "a viewer that waits there");
  const double rate_hz = stream.rate_hz > 0.0 ? stream.rate_hz : opened.info.rate_hz;
  const std::uint64_t once = stream.loop ? 0 : source->frame_count();
  const std::uint64_t limit = frames > 0 ? frames : once;
  std::vector<std::byte> slot(source->zero_copy() ? 0 : source->acquisition()->frame_bytes());
  const std::int64_t start_ns = now_ns();
  int last_status = ECHOLOOP_OK;
  std::uint64_t index = 0;
  for (; (limit == 0 || index < limit) && !interrupted(); ++index) {
    if (std::isfinite(rate_hz))
      wait_until(start_ns + static_cast<std::int64_t>(1e9 * static_cast<double>(index) / rate_hz));
    if (!send(sender.get(), source->at(index, slot), last_status)) break;
  }
  echoloop_counts counts{};
  echoloop_status(sender.get(), &counts);
  const double seconds = static_cast<double>(now_ns() - start_ns) * 1e-9;
  const double bytes = static_cast<double>(counts.sent) * static_cast<double>(counts.frame_bytes);
  print_out("{}: sent {}, lost {}, in {:.2f} s, {:.2f} GB/s\n", opened.info.name, counted(counts.sent, "frame"),
            counts.lost, seconds, bytes / seconds * 1e-9);
  return counts.lost > 0 ? 1 : 0;
}

// --headless --lesson: runs the steps of a lesson and prints the verdicts.

namespace {

constexpr double kLongest_s = 60.0;  // of a step

// Returns the middle of the run: a phantom synthesises its first frames, which takes longer.
std::int64_t middle_ns(const std::vector<Span>& spans) {
  std::vector<std::int64_t> copies;
  for (const Span& span : spans)
    if (span.stage == Stage::upload) copies.push_back(span.start_ns);
  std::ranges::sort(copies);
  return copies.empty() ? 0 : copies[copies.size() / 2];
}

// Runs the stream for the frames of the step, or until it stops.
std::vector<LessonVerdict> run_step(Backend& backend, const Options& options, const LessonStep& step,
                                    const StreamSettings& stream, const std::vector<std::string>& settings) {
  const OpenedSource opened = open_source(options.source, options.facts);
  const ImagingParams params = apply_settings(default_params(*opened.info.acquisition), settings);
  LiveImages live;
  TimingTrace trace;
  Session session(backend, opened.source, live.images, trace,
                  {.stream = stream, .params = params, .max_frames = step.frames, .analyses = live.analyses()});
  const auto seconds = [&] { return static_cast<double>(now_ns() - session.started_ns()) * 1e-9; };
  while (!interrupted() && !session.done() && seconds() < kLongest_s) {
    session.advance();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const double ran_s = seconds();
  session.stop();
  if (const std::string fault = session.fault(); !fault.empty())
    throw Fault(step.name, fault, "a stream without a fault");
  const auto& objects = live.of<ObjectImage>().take() ? &live.of<ObjectImage>().front() : nullptr;
  const auto& flow = live.of<FlowImage>().take() ? &live.of<FlowImage>().front() : nullptr;
  const RingCounts counts = session.counts();
  const std::vector<Span> spans = trace.spans();
  return judge(step, {.stream = stream,
                      .params = params,
                      .timing = stream_timing(spans, middle_ns(spans)),
                      .counts = counts,
                      .waited_share = static_cast<double>(counts.producer_waited_ns) * 1e-9 / std::max(ran_s, 1e-9),
                      .frame_bytes = opened.info.acquisition->frame_bytes(),
                      .torn_share = live.images.take() ? live.images.front().torn_share : 0.0,
                      .objects = objects,
                      .flow = flow});
}

}  // namespace

int run_lesson(const Options& options) {
  const Lesson lesson = read_lesson(options.lesson);
  const bool marks = !options.answers.empty();
  const std::map<std::string, LessonState> answers =
      marks ? read_answers(options.answers, lesson) : std::map<std::string, LessonState>();
  const ChosenBackend chosen = choose_backend(options.backend);
  nlohmann::json report = {
      {"lesson", lesson.title}, {"backend", chosen.backend->name()}, {"steps", nlohmann::json::array()}};
  const LessonDevice device = chosen.backend->computes_elsewhere() ? LessonDevice::gpu : LessonDevice::cpu;
  std::size_t held_steps = 0;
  watch_interrupts();
  for (const LessonStep& step : lesson.steps) {
    const auto answer = answers.find(step.name);
    const LessonState none;
    const LessonState& state = !marks ? step.wanted : answer != answers.end() ? answer->second : none;
    std::vector<const LessonState*> parts = situation(lesson, step, device);
    parts.push_back(&state);
    StreamSettings stream = options.stream;
    std::vector<std::string> settings = options.settings;
    for (const LessonState* part : parts) {
      stream = part->applied(stream);
      settings.insert(settings.end(), part->settings.begin(), part->settings.end());
    }
    const std::vector<LessonVerdict> verdicts = run_step(*chosen.backend, options, step, stream, settings);
    const bool held = std::ranges::all_of(verdicts, &LessonVerdict::held);
    held_steps += held ? 1 : 0;
    print_out("{:<8} {}{}\n", held ? "held" : "not held", step.title,
              marks && answer == answers.end() ? " (no answer)" : "");
    nlohmann::json checks = nlohmann::json::array();
    for (const LessonVerdict& verdict : verdicts) {
      print_out("         {} {}: {}\n", verdict.held ? "+" : "-", verdict.check, verdict.found);
      checks.push_back({{"check", verdict.check}, {"found", verdict.found}, {"held", verdict.held}});
    }
    report["steps"].push_back({{"name", step.name}, {"held", held}, {"checks", std::move(checks)}});
  }
  print_out("{}: {} of {} held\n", lesson.title, held_steps, counted(lesson.steps.size(), "step"));
  const bool all = held_steps == lesson.steps.size();
  report["held"] = all;
  write_report(options.files, report);
  return all ? 0 : 1;
}

int run_without_display(Options options) {
  const std::filesystem::path folder = "echoloop-out";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(folder.string(), error.message(), "a writable folder, or --headless with explicit output files");
  const auto add = [&](const char* option, const char* name) {
    if (options.files[option].empty()) options.files[option] = folder / name;
  };
  add("--png", "picture.png");
  add("--report", "report.json");
#if defined(ECHO_HAVE_GUI)
  add("--screenshot", "window.png");
#endif
  if (const std::string why = why_no_films(); why.empty())
    add("--video", "film.mp4");
  else
    print_out("No video: {}\n", why);
  print_out("No display found: running offscreen for a few seconds. Files that will be written:\n");
  for (const auto& [name, option] : {std::pair{"Image", "--png"}, std::pair{"Window", "--screenshot"},
                                     std::pair{"Video", "--video"}, std::pair{"Report", "--report"}})
    if (!options.files[option].empty()) print_out("  {:<8}{}\n", name, options.files[option].string());
  print_out("Other files, or none: --headless with the options for output files\n");
  std::fflush(stdout);
  return run_headless(options);
}

}  // namespace echoloop
