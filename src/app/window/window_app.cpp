#include "app/window/window_app.h"

#include <fmt/format.h>

#include <utility>

#include "app/options/folders.h"
#include "app/options/terminal.h"
#include "app/outputs/output_files.h"
#include "app/stream/session.h"
#include "app/window/window_review.h"
#include "core/error.h"
#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/screen.h"
#include "gui/state/any_command.h"
#include "gui/state/marks.h"
#include "source/live/live_source.h"

namespace echoloop {
namespace {
RunKind kind_if(bool unattended) { return unattended ? RunKind::unattended : RunKind::attended; }
}  // namespace

WindowApp::Owned::Owned(const Options& with, SurfaceKind surface)
    : options(with),
      chosen(choose_backend(with.backend)),
      engine{std::move(chosen.backend), RfHistory(with.history_bytes.value_or(default_history_bytes()))},
      outputs(with, state, engine.live, [this](const std::string& name) {
        return std::make_unique<WindowControl>(name, WindowControl::Parts{state, commands, in_use, engine, *viewer});
      }) {
  require_outputs(options);
  state.stream = options.stream;
  state.marks = marks_of(options);
  state.Edits::map = options.map;
  const Interop interop = options.interop && engine.on_gpu() ? Interop::try_it : Interop::off;
  const RunKind kind = kind_if(has_end(options) || !options.files["--screenshot"].empty());
  viewer = std::make_unique<Viewer>(viewer_options(options, kind, interop, surface, queries_of(state, state)), commands,
                                    engine.live, &engine.past);
  if (!options.control.empty()) outputs.turn(OutputKind::control, Turned::on);
  if (!is_kiosk(options)) return;
  state.no_effect.files = "Kiosk: opening, saving, recording, deleting and quitting are disabled.";
  viewer->screen().present();
}

WindowApp::WindowApp(const Options& options, SurfaceKind surface)
    : own_(options, surface),
      recording_(&own_.engine.history, own_.state, {options.files[kRecordOption], options.record_format}),
      comparison_(own_.state),
      review_(
          own_.state,
          options.loop_given || options.frames > 0 ? WindowReview::OneFrame::repeated : WindowReview::OneFrame::once,
          own_.engine, *own_.viewer, comparison_.source(), [this] { apply_stream(); }),
      reference_(own_.state, own_.engine, *own_.viewer, review_),
      presets_(own_.state, own_.in_use, own_.engine, [this] { stream_.apply_params(); }),
      saving_(own_.state, own_.in_use, own_.engine, *own_.viewer),
      outputs_(own_.state, own_.options, own_.options, own_.in_use, own_.engine, *own_.viewer),
      stream_(own_.state,
              {.imaging = own_.options,
               .queue_given = options.queue_given,
               .max_frames = options.frames,
               .every_frame =
                   options.frames > 0 || !options.files[kRecordOption].empty() || !options.files["--video"].empty(),
               .method_limit_s = options.method_limit_s.value_or(kLiveMethodLimit_s),
               .doubts = !options.doubts ? DoubtCards::none
                         : kind_if(has_end(options) || !options.files["--screenshot"].empty()) == RunKind::attended
                             ? DoubtCards::opened
                             : DoubtCards::marked},
              own_.in_use, own_.engine, own_.commands),
      opening_(own_.state, options.files[kRecordOption], own_.in_use, own_.engine, *own_.viewer),
      import_(own_.state, {own_.options, options.backend}, kind_if(has_end(options) || is_kiosk(options)), own_.in_use,
              opening_),
      scanner_(own_.state, own_.in_use, opening_),
      question_(own_.state, kind_if(options.frames > 0 || is_kiosk(options))),
      reset_(own_.state, own_.options, own_.in_use, own_.engine, *own_.viewer,
             {.opening = opening_, .presets = presets_, .review = review_, .reference = reference_, .stream = stream_}),
      sound_speed_(own_.state, own_.engine, *own_.viewer),
      lesson_(own_.state, own_.in_use, own_.engine,
              {.open_source = [this](const std::string& name) { opening_.open(name); },
               .params_changed = [this] { stream_.apply_params(); },
               .restart = [this](const StreamSettings& stream) { restart(stream); }}) {
  stream_.describe_backend();
  restore_settings();
  if (!own_.chosen.note.empty()) own_.state.say(Severity::info, own_.chosen.note);
  if (const std::string status = viewer().interop_status(); !status.empty()) own_.state.say(Severity::info, status);
}

// Ends the window before the stream, and the stream before its dependencies.
WindowApp::~WindowApp() {
  own_.viewer.reset();
  own_.engine.session.reset();
}

void WindowApp::carry_out(const AnyCommand& given) {
  using namespace command;
  const Acts acts{
      [this](const ParamsChanged&) { stream_.apply_params(); },
      [this](const StreamChanged&) { apply_stream(); },
      [this](const CineChanged&) { apply_stream(); },  // keep_acquiring; the rest: WindowReview::update()
      [this](const FactsChanged&) { opening_.open(state().source.opened_as, state().facts.given); },
      [this](const OpenPhantom& c) { opening_.open_phantom(c.text); },
      [this](const OpenFile& c) { import_.replace(c.file, [this, file = c.file] { opening_.open_file(file); }); },
      [this](const OpenMethod& c) { own_.method.open(c.file); },
      [this](const AnswerMethod& c) { own_.method.answer(c.id, c.answer); },
      [this](const OpenLesson& c) { opening_.open_lesson(c.name); },
      [this](const StartLesson& c) { lesson_.open(c.file); },
      [this](const command::LessonStep& c) { lesson_.act(c.act); },
      [this](const OpenScanner& c) { opening_.open(c.address); },
      [this](const OpenNetworkScanner& c) { opening_.open_network_scanner(c.port); },
      [this](const OpenManual&) { own_.state.say(Severity::info, open_manual()); },
      [this](const Import& c) { import_.execute(c.order); },
      [this](const Doubts& c) { stream_.doubts().act(c.act); },
      [this](const Sender& c) { scanner_.command(c.act); },
      [this](const AnswerSandbox& c) { question_.answer(c.answer); },
      [this](const Cancel&) { cancel(); },
      [this](const ToggleFreeze&) { review_.toggle_freeze(); },
      [this](const CompareWith& c) { compare_with(c.side, c.file); },
      [this](const SwapRecordings&) { swap_recordings(); },
      [this](const Save& c) { saving_.save(c.what, seen_moment()); },
      [this](const SaveTable& c) { saving_.save_table(c.table); },
      [this](const SaveTimings& c) { saving_.save_timing_file(c.format); },
      [this](const TurnOutput& c) { own_.outputs.turn(c.kind, c.on ? Turned::on : Turned::off); },
      [this](const ToggleRecord&) { recording_.toggle(saving_, own_.in_use, own_.engine, own_.state); },
      [this](const command::Preset& c) { presets_.execute(c.order); },
      [this](const Say& c) { own_.state.say(Severity::info, c.text); },
      [this](const Hint& c) { own_.state.hint(c.text); },
      [this](const AutoReference&) { reference_.set(); },
      [this](const SoundSpeed& c) { sound_speed_.act(c.act); },
      [this](const ResetLatencies&) { own_.engine.trace.forget_latencies(); },
      [this](const Restart&) { restart(state().stream); },
      [this](const UseCpu&) { use_cpu(); },
      [this](const Reset&) { reset_.reset(); },
      [this](const UndoReset&) { reset_.undo(); },
      [this](const DismissMessage& c) { state().notices.messages.dismiss(c.index); },
  };
  std::visit(acts, given);
}

void WindowApp::restore_settings() {
  OpeningView& offered = own_.state.opening;
  const ViewSettings& settings = viewer().settings();
  offered.recent = settings.recent.recordings;
  offered.methods = settings.recent.methods;
  offered.scanner_token = token_file().string();
  offered.host = host_name();
  opening_.offer_repair();
  presets_.describe();
  std::error_code error;
  if (!own_.options.source_given && !offered.recent.empty() && std::filesystem::exists(offered.recent.front(), error))
    offered.continue_with = offered.recent.front();
  presets_.say_last(settings.last_preset);
}

void WindowApp::begin() {
  opening_.open(own_.options.source, own_.options.facts, {.session = own_.options.session});
  if (!own_.options.lesson.empty()) lesson_.open(own_.options.lesson);
  started_ns_ = now_ns();
}

int WindowApp::run() {
  watch_interrupts();
  finish_on_display_loss([this](DisplayLoss loss) { end_without_display(loss); });
  begin();
  while (!viewer().should_close() && !limits_reached()) turn();
  write_outputs();
  finish_on_display_loss({});
  if (ended_by_fault()) {
    print_error("echoloop: {}: {}\n", state().notices.fault->title, state().notices.fault->detail);
    return 1;
  }
  return recording_.failed() ? 2 : 0;
}

// Returns true for a fault not cleared by a restart; one after the last requested frame does not count.
bool WindowApp::ended_by_fault() const {
  const std::uint64_t frames = own_.options.frames;
  const bool complete =
      frames > 0 && own_.engine.session != nullptr && own_.engine.session->counts().processed >= frames;
  return own_.state.notices.fault.has_value() && !complete;
}

bool WindowApp::limits_reached() const {
  const RunLimits& options = own_.options;
  if (interrupted() || own_.ended) return true;
  const Session* const session = own_.engine.session.get();
  if (options.duration_s > 0.0 && static_cast<double>(now_ns() - started_ns_) * 1e-9 >= options.duration_s) {
    if (session == nullptr) return (!opening_.busy() && !stream_.changing()) || opening_.scanner().has_value();
    return session->counts().processed > 0 || session->done();  // after the first frame of an open source
  }
  return options.frames > 0 && session != nullptr && session->done();
}

// Runs one window frame: news of the stream and of files, then drawing, then the user's commands.
void WindowApp::turn() {
  const auto& session = own_.engine.session;
  const std::int64_t began_ns = now_ns();
  take_sandbox_answer();
  take_opened();
  import_.look();
  scanner_.look();
  advance_comparison();
  stream_.advance();
  if (session != nullptr) poll_stream();
  saving_.advance_job();
  saving_.advance();
  saving_.describe();
  recording_.look();
  presets_.look();
  sound_speed_.update();
  own_.look();
  lesson_.look(viewer().shown_image());
  drawn_.news = viewer().frame(state()) ? NewImage::yes : NewImage::no;
  times_.add_frame(viewer(), drawn_.news, review_.playback(), own_.engine.trace);
  reset_.look();
  run_commands();
  if (session != nullptr) {  // before the next window frame, which needs the answers
    reference_.report();
    try {
      review_.update();
    } catch (const std::exception& error) {
      comparison_.end(error.what());
    }
    times_.count_requests(review_.playback());
  }
  times_.add_turn(viewer(), began_ns);
  wait_for_frame();
}

void WindowApp::run_commands() {
  for (const AnyCommand& command : own_.commands.take()) {
    const CommandInfo info = info_of(command);
    if (info.files && refused_in_kiosk(own_.state)) continue;
    try {
      carry_out(command);
      state().notices.messages.resolve(info.cause);
    } catch (const std::exception& error) {
      own_.state.say(Severity::error, error.what(), std::string(info.cause));
    }
  }
}

// Returns true for news that the next window frame shows or uses. Everything else is checked after the idle time.
bool WindowApp::must_draw() const {
  // Only mailboxes that the window reads: others keep their news.
  const PastImages& past = own_.engine.past;
  const bool history_news = past.images[0].has_news() || past.coarse.has_news() ||
                            (own_.state.cine.compare && past.images[1].has_news()) ||
                            (own_.state.params.color_flow.mode != FlowMode::off && past.flow.has_news());
  const bool news =
      review_.frozen() ? history_news : own_.engine.live.images.has_news() || own_.engine.live.coarse.has_news();
  return news || saving_.has_job() || saving_.busy() || review_.busy() || own_.state.measured.fine_came ||
         import_.busy() || (own_.outputs.control() != nullptr && own_.outputs.control()->has_news()) ||
         own_.viewer->wants_frame() || own_.viewer->should_close() || stream_.ended() ||
         opening_.fraction() != drawn_.opening_fraction;
}

void WindowApp::wait_for_frame() {
  const std::int64_t idle_ns = review_.frozen() ? 250'000'000 : 100'000'000;
  pacer_.wait(viewer(), idle_ns, [this] { return must_draw(); });
  drawn_.opening_fraction = opening_.fraction();
}

HostCopy WindowApp::host_copy() const {
  return own_.viewer->needs_host_image() || outputs_.need_host_image() ? HostCopy::made : HostCopy::none;
}

void WindowApp::poll_stream() {
  WindowState& s = state();
  const bool had_fault = s.notices.fault.has_value();
  if (stream_.acquisition_changed()) follow_acquisition();
  if (own_.engine.session == nullptr) return;
  stream_.update_numbers(times_.shown());
  review_.freeze_restored_frame();
  review_.freeze_when_still(drawn_.news);
  update_run_state(
      s, *own_.engine.session,
      {.on_gpu = own_.engine.on_gpu(), .device_lost = !own_.engine.backend->usable(), .frozen = review_.frozen()});
  if (!had_fault && s.notices.fault.has_value()) {
    ++s.numbers.errors;
    own_.state.say(Severity::error, s.notices.fault->title + ": " + s.notices.fault->detail, "fault");
    s.stream.inject.error_at = s.stream.inject.lost_at = 0.0;  // it has happened
    review_.stream_failed();
    recording_.end("the stream stopped");
  }
  stream_.report_refusal();
  own_.engine.session->set_host_copy(host_copy());
}

void WindowApp::take_opened() {
  auto result = opening_.take();
  if (!result.has_value()) return;
  question_.withdraw();  // about a recording not needed any more
  try {
    if (result->error != nullptr) std::rethrow_exception(result->error);
    WindowOpening::Purpose purpose = opening_.take_purpose();
    const std::string refused = purpose.refused;
    start_session(std::move(*result->opened), std::move(purpose));
    state().notices.messages.resolve("opening");
    if (!refused.empty()) own_.state.say(Severity::error, refused, "opening");
  } catch (const NoSandbox& why) {
    question_.ask(SandboxQuestion::Asker::opened, why, opening_.name());
  } catch (const Error& error) {
    const auto refuse = [this](const Error& why) { opening_failed(why); };
    if (!opening_.replaces() || !import_.offer(opening_.name(), error, refuse)) refuse(error);
  } catch (const std::exception& error) {
    opening_failed(Error::from_line(error.what()));
  }
}

void WindowApp::opening_failed(const Error& error) {
  if (own_.in_use.source == nullptr && !import_.used()) return first_opening_failed(error);
  opening_.drop_purpose();
  state().facts.given = own_.in_use.facts;  // the panel shows the facts in force
  own_.state.say(Severity::error, error.what(), "opening");
}

// Reports an error of the command line's source: in the window, as a double click on a file has no terminal.
void WindowApp::first_opening_failed(const Error& error) {
  const Options& options = own_.options;  // without an operator a message in the window is not read
  if (has_end(options) || is_kiosk(options) || names_output(options.files) || opening_.name() == default_source())
    throw error;
  print_error("echoloop: {}\n", error.what());
  clear_marks(state().marks);  // of the rejected source
  opening_.open(default_source(), {}, {.refused = error.what()});
}

void WindowApp::take_sandbox_answer() {
  const auto answered = question_.take();
  if (!answered) return;
  const bool compared = answered->asker == SandboxQuestion::Asker::compared;
  if (answered->answer == SandboxAnswer::cancel) {
    compared ? comparison_.end(answered->why.what()) : opening_failed(answered->why);
  } else {
    compared ? comparison_.source().open_again() : opening_.open_again();
  }
}

// Restores marks, zoom and layout; the frame follows when it arrives.
void WindowApp::restore_view(const SavedSession* saved) {
  if (saved == nullptr) return review_.freeze_at({});
  if (own_.options.marks.empty() || own_.in_use.source != nullptr) state().marks = saved->marks;
  state().view.pan_zoom = saved->pan_zoom;
  state().Edits::map = saved->map;
  viewer().apply_layout(saved->layout);
  review_.freeze_at(saved->moment == SavedMoment::frozen ? std::optional(saved->frame) : std::nullopt);
}

void WindowApp::start_session(OpenedSource opened, WindowOpening::Purpose purpose) {
  const SavedSession* saved = purpose.session.get();
  if (purpose.setup && purpose.setup->source != opened.info.opened_as) purpose.setup.reset();
  const WindowStream::Plan plan = stream_.plan(opened, purpose, presets_);
  saving_.flush();
  if (!plan.first) recording_.end("another source was opened");
  if (const std::filesystem::path& file = own_.options.files[kRecordOption]; plan.first && !file.empty()) {
    recording_.start(file, *opened.source, plan.preset.params);
  }
  if (purpose.current == WindowOpening::Current::becomes_a && state().cine.compare) {
    comparison_.use_as_a(
        {.name = own_.in_use.named, .source = own_.in_use.source, .facts = own_.in_use.facts, .info = state().source},
        state().params);
  }
  if (plan.change == WindowStream::Change::another_source && comparison_.source().opened() == nullptr) {
    reset_.change_source(opened.info, purpose, session_now(own_.in_use, own_.state, viewer(), seen_moment()));
  }
  sound_speed_.forget();
  if (purpose.setup && saved == nullptr) reset_.forget_stream();
  stream_.describe(opened, plan);
  restore_view(saved);
  make_session(opened.source, plan.stream, purpose.session);
  own_.in_use.source = opened.source;
  import_.close();
  presets_.set_active(plan.preset.file);
  if (plan.first) reset_.begin();
  stream_.report(opened, plan);
  if (purpose.setup) reset_.apply_to_source(*purpose.setup);
}

void WindowApp::make_session(const std::shared_ptr<Source>& source, StreamSettings stream,
                             const std::shared_ptr<const SavedSession>& saved) {
  saving_.cancel_job("the stream was restarted");
  stream_.continues(*source) ? review_.follow() : review_.forget();
  if (source != own_.in_use.source) state().view.inspected.reset();
  times_.begin_stream();
  stream.loop = stream.loop && !review_.plays_once();
  if (saved != nullptr && saved->moment == SavedMoment::frozen) stream.policy = RingPolicy::block;
  stream_.make(source, {.stream = stream,
                        .saved = saved,
                        .host_copy = host_copy(),
                        .on_image = outputs_.image_taker(),
                        .outlets = {own_.outputs.outlets()},
                        .sinks = {recording_.recorder(), &own_.engine.history}});
}

void WindowApp::follow_acquisition() try {
  recording_.end("the scanner's description changed");
  start_session(stream_.described_again(), {});
} catch (const Error& error) {  // a previously accepted setting fitted another one
  stream_.fail(error.what());
}

void WindowApp::restart(const StreamSettings& stream) {
  if (own_.in_use.source == nullptr) return;
  recording_.end("the stream was restarted");
  const bool resumes = own_.in_use.source->live() != nullptr && state().notices.fault.has_value();
  make_session(own_.in_use.source, stream);
  state().notices.fault.reset();
  state().notices.messages.resolve("fault");
  own_.state.say(Severity::info, resumes ? "Resumed" : "Restarted");
}

void WindowApp::use_cpu() {
  saving_.cancel_job("the stream was restarted");
  recording_.end("the stream continued on the CPU");
  recording_.finish();  // waiting frames may be in the device's memory
  if (stream_.changing()) stream_.finish_change();
  saving_.finish();  // its files contain the backend's name
  own_.engine.session.reset();
  review_.forget();
  if (!own_.engine.backend->usable()) own_.engine.history.clear();  // its memory was the lost device's
  viewer().forget_image();
  LiveImages& live = own_.engine.live;
  PastImages& past = own_.engine.past;
  for (auto* images : {&live.images, &live.coarse, &past[0], &past[1], &past.coarse})
    images->reset();  // their storage belongs to the device
  own_.engine.backend = make_cpu_backend();
  stream_.describe_backend();
  stream_.choose_queue(state().stream, state().source, state().params);
  restart(state().stream);
}

void WindowApp::compare_with(CompareSide side, const std::filesystem::path& path) {
  if (!state().cine.compare || own_.in_use.source == nullptr) return;
  if (side == CompareSide::a) return comparison_.open_a(path);
  opening_.open(path.string(), {}, {.current = WindowOpening::Current::becomes_a});
}

// Swaps both recordings with their parameters. B's stream starts again.
void WindowApp::swap_recordings() {
  if (comparison_.source().opened() == nullptr) return;
  const ImagingParams params_of_a = state().cine.a;
  start_session(*comparison_.source().opened(), {.current = WindowOpening::Current::becomes_a});
  state().params = params_of_a;
  stream_.apply_params();
}

void WindowApp::advance_comparison() {
  try {
    comparison_.advance();
  } catch (const NoSandbox& why) {
    question_.ask(SandboxQuestion::Asker::compared, why, comparison_.source().name());
  }
}

void WindowApp::cancel() {
  if (opening_.busy()) {
    opening_.cancel();
  } else if (reset_.can_return()) {
    reset_.return_to_source();
  } else if (comparison_.source().opening()) {
    comparison_.end("Opening " + comparison_.source().name() + " was cancelled.");
  } else if (saving_.has_job()) {
    saving_.stop_job();
  }
}

void WindowApp::write_outputs() {
  if (interrupted() || viewer().should_close()) end_long_work();  // do not wait for a pipe without a reader
  if (stream_.changing()) stream_.finish_change();
  saving_.finish();
  FileWriter writer;
  writer([&] { outputs_.write_screenshot(); });
  if (own_.engine.session == nullptr) return writer.require_all();
  nlohmann::json display = times_.report();
  display.update({{"renderer", viewer().gl_renderer()},
                  {"picture", viewer().interop_status()},
                  {"interop", !viewer().needs_host_image()},
                  {"first_picture_s", times_.first_image_s()}});
  writer([&] { write_files(display); });
  writer.require_all();
}

// Called during a call of the window, which must not be used any more.
void WindowApp::end_without_display(DisplayLoss loss) {
  try {
    if (own_.engine.session != nullptr) write_files(times_.report());
  } catch (const std::exception& error) {
    print_error("echoloop: {}\n", error.what());
  }
  print_error("echoloop: {}; the program ended after completing its files\n",
              loss == DisplayLoss::connection ? "the connection to the display was lost"
                                              : "the display server refused a request of the window");
}

// Writes all files except the screenshot. `display`: for the report.
void WindowApp::write_files(const nlohmann::json& display) {
  if (saving_.has_job()) {
    saving_.cancel_job("the program ended");
    print_error("echoloop: {}\n", state().saving.last);  // the closing window does not show its message
  }
  if (interrupted() || viewer().should_close()) {
    end_long_work();
    own_.engine.session->stop_soon();
  } else {
    own_.engine.session->stop();
  }
  recording_.finish();
  recording_.look();
  outputs_.write({.totals = {.seconds = static_cast<double>(now_ns() - started_ns_) * 1e-9,
                             .shown = times_.shown(),
                             .errors = state().numbers.errors},
                  .display = display,
                  .recording = recording_.status()});
}

}  // namespace echoloop
