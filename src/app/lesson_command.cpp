// --headless --lesson: runs the steps of a lesson and prints the verdicts.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/lesson.h"
#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/options/terminal.h"
#include "app/outputs/run_outputs.h"
#include "app/stream/session.h"
#include "core/error.h"
#include "core/results/live_images.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr double kLongest_s = 60.0;  // of a step

// Returns the middle of the run: a phantom synthesises its first frames, which takes longer.
std::int64_t middle_ns(const std::vector<Span>& spans) {
  std::vector<std::int64_t> copies;
  for (const Span& span : spans) {
    if (span.stage == Stage::upload) copies.push_back(span.start_ns);
  }
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

}  // namespace echoloop
