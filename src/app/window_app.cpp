#include "app/window_app.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "app/choose_backend.h"
#include "app/echo_place.h"
#include "app/folders.h"
#include "app/interrupts.h"
#include "app/manual.h"
#include "app/output_files.h"
#include "app/pictures.h"
#include "app/process_age.h"
#include "app/spare_memory.h"
#include "app/terminal.h"
#include "core/units.h"
#include "source/phantom_list.h"
#include "version.h"

namespace echoloop {
namespace {

ProgramFacts program_facts() {
  std::error_code ignored;
  const std::filesystem::path notices = share_folder().parent_path() / "doc" / "echoloop" / "copyright";
  return {.version = kVersion,
          .sandbox = sandbox_text(),
          .licence = "MIT License",
          .notices = std::filesystem::exists(notices, ignored) ? notices.string() : std::string()};
}

std::string clock_text() { return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

}  // namespace

WindowApp::WindowApp(const Options& options, SurfaceKind surface)
    : options_(options), history_(options.history_bytes.value_or(default_history_bytes())) {
  ChosenBackend chosen = choose_backend(options_.backend);
  backend_ = std::move(chosen.backend);
  state_.stream = options_.stream;
  if (options_.kiosk_idle_s > 0.0)
    state_.kiosk = "Kiosk: opening, saving, recording, deleting and quitting are disabled.";
  describe_backend();
  require_outputs(options_);
  state_.marks = marks_of(options_);
  pending_session_ = options_.session;
  host_image_wanted_ = !options_.measurements.empty() || !options_.figure.empty() || !options_.image_out.empty() ||
                       !options_.png.empty() || !options_.png16.empty() || !options_.video.empty();
  const bool scripted = options_.frames > 0 || options_.duration_s > 0.0 || !options_.screenshot.empty();
  const bool kiosk = options_.kiosk_idle_s > 0.0;
  const bool with_interop = options_.interop && backend_->name() == "CUDA";
  viewer_ = std::make_unique<Viewer>(ViewerOptions{.width = options_.width,
                                                   .height = options_.height,
                                                   .surface = surface,
                                                   .interop = with_interop ? Interop::try_it : Interop::off,
                                                   .shader_dir = share_folder() / "shaders",
                                                   .settings_file = kiosk ? "" : settings_file(),
                                                   .remembered_place = !scripted && !options_.size_given,
                                                   .first_tour = scripted || kiosk ? FirstTour::off : FirstTour::show,
                                                   .ui_scale = options_.ui_scale,
                                                   .closing = kiosk ? Closing::never : Closing::by_user,
                                                   .vsync = true},
                                     make_commands(), live_, &past_);
  recall(viewer_->settings());
  if (!chosen.note.empty()) say(Severity::info, chosen.note);
  if (const std::string status = viewer_->interop_status(); !status.empty()) say(Severity::info, status);
}

UiCommands WindowApp::make_commands() {
  UiCommands c;
  c.params_changed = [this] { later([this] { apply_params(); }); };
  c.stream_changed = [this] { later([this] { apply_stream(); }); };
  c.open_phantom = [this](const std::string& name) {
    later([this, name] { open(std::string(kPhantomPrefix) + name, {}); });
  };
  c.open_file = [this](const std::filesystem::path& file) {
    if (!refused_in_kiosk()) later([this, file] { open_file(file); });
  };
  c.facts_changed = [this] { later([this] { open(state_.source.opened_as, state_.facts); }); };
  c.answer_sandbox = [this](SandboxAnswer answer) {
    if (open_question_) open_question_->answer = answer;
  };
  c.program_facts = program_facts;
  c.open_manual = [this] {
    if (!refused_in_kiosk()) later([this] { say(Severity::info, open_manual()); });
  };
  c.cancel = [this] { later([this] { cancel(); }); };
  c.toggle_freeze = [this] { later([this] { toggle_freeze(); }); };
  c.cine_changed = [this] { later([this] { apply_cine(); }); };
  c.compare_with = [this](CompareSide side, const std::filesystem::path& path) {
    if (!refused_in_kiosk()) later([this, side, path] { compare_with(side, path); });
  };
  c.swap_recordings = [this] { later([this] { swap_recordings(); }); };
  c.save_timings = [this](TimingFile format) {
    if (!refused_in_kiosk()) later([this, format] { save_timings_as(format); });
  };
  c.save = [this](SaveWhat what) {
    if (!refused_in_kiosk()) later([this, what] { save(what); });
  };
  c.toggle_record = [this] {
    if (!refused_in_kiosk()) later([this] { toggle_record(); }, "recording");
  };
  c.preset = [this](const PresetOrder& order) {
    if (order.act == PresetAct::load || !refused_in_kiosk()) later([this, order] { obey_preset(order); }, "preset");
  };
  c.say = [this](const std::string& text) { say(Severity::info, text); };
  c.hint = [this](const std::string& text) { hint(text); };
  c.auto_reference = [this] { later([this] { set_reference(); }); };
  c.restart = [this] { later([this] { restart(state_.stream); }); };
  c.reset = [this] { later([this] { reset(ResetCause::user); }); };
  c.undo_reset = [this] { later([this] { undo_reset(); }); };
  c.use_cpu = [this] { later([this] { use_cpu(); }); };
  c.echo_at = [this](PlanePoint at) -> std::optional<EchoPlace> {
    if (state_.source.acquisition == nullptr) return std::nullopt;
    return nearest_echo(*state_.source.acquisition, state_.params.formation.sound_speed_m_s, at);
  };
  c.dismiss_message = [this](std::size_t index) {
    later([this, index] {
      if (index < state_.messages.size()) {
        state_.messages.erase(state_.messages.begin() + static_cast<std::ptrdiff_t>(index));
      }
    });
  };
  return c;
}

void WindowApp::open(const std::string& name, const Facts& facts) {
  current_becomes_a_ = false;
  pending_session_.reset();
  opener_.open(name, facts);
}

void WindowApp::begin() {
  opener_.open(options_.source, options_.facts);
  started_ns_ = now_ns();
}

int WindowApp::run() {
  watch_interrupts();
  finish_on_display_loss([this](DisplayLoss loss) { end_without_display(loss); });
  begin();
  while (!viewer_->should_close() && !limits_reached()) turn();
  write_outputs();
  finish_on_display_loss({});
  if (ended_by_fault()) {
    print_error("echoloop: {}: {}\n", state_.fault->title, state_.fault->detail);
    return 1;
  }
  return recording_.failed() ? 2 : 0;
}

// A fault that was not mended by a restart; one after the last frame that was asked for does not count.
bool WindowApp::ended_by_fault() const {
  const bool complete = options_.frames > 0 && session_ != nullptr && session_->counts().processed >= options_.frames;
  return state_.fault.has_value() && !complete;
}

// One window frame: what happened since the last one, then the drawing, then what the user asked for.
void WindowApp::turn() {
  go_on_with_question();
  take_opened();
  go_on_with_comparison();
  if (session_ != nullptr) go_on_with_stream();
  if (session_ != nullptr) look_at_stream();
  if (session_ != nullptr) go_on_with_film();
  describe_saving();
  recording_.look();
  look_at_presets();
  fresh_ = viewer_->frame(state_);
  count_picture();
  reset_when_idle();
  run_commands();
  if (session_ != nullptr) look_back();  // now, so that the answer is there for the next window frame
  wait_for_frame();
}

void WindowApp::look_at_stream() {
  const bool had_fault = state_.fault.has_value();
  feed_.update(state_, *session_, trace_, shown_);
  freeze_restored_frame();
  freeze_when_still();
  update_run_state(
      state_, *session_,
      {.on_gpu = backend_->name() == "CUDA", .device_lost = !backend_->usable(), .frozen = review_.frozen()});
  if (!had_fault && state_.fault.has_value()) {
    ++state_.errors;
    say(Severity::error, state_.fault->title + ": " + state_.fault->detail, "fault");
    state_.stream.inject.error_at = state_.stream.inject.lost_at = 0.0;  // it has happened
    if (review_.frozen()) review_.forget(state_.cine);
    recording_.end("the stream stopped");
  }
  if (const std::string refusal = session_->take_refusal(); !refusal.empty()) {
    say(Severity::error, refusal, "stream");
    state_.stream = session_->stream();
  }
  session_->set_host_copy(host_copy());
}

HostCopy WindowApp::host_copy() const {
  return viewer_->needs_host_image() || host_image_wanted_ ? HostCopy::made : HostCopy::none;
}

// The window frame that has just been drawn.
void WindowApp::count_picture() {
  if (!viewer_->drawn()) return;
  const Viewer::FrameTimes& times = viewer_->times();
  const Image& image = viewer_->shown_image();
  ++window_frame_;
  times_.add(times);
  const auto add = [&](std::uint64_t frame, Stage stage, std::int64_t begin, std::int64_t end) {
    trace_.add({.frame = frame, .stage = stage, .lane = 0, .start_ns = begin, .end_ns = end});
  };
  // Idle, the timeline does not change: each window frame would otherwise be a reason for the next one.
  if (fresh_ || !review_.frozen()) {
    add(image.stamp.sequence, Stage::draw, times.draw_start, times.draw_end);
    add(image.stamp.sequence, Stage::vsync, times.shown, times.shown);
  }
  if (times.present_end > times.present_start) {
    add(times.present_sequence, Stage::present, times.present_start, times.present_end);
  }
  if (!fresh_) return;
  if (first_picture_s_ == 0.0) first_picture_s_ = process_age_s();
  if (review_.frozen()) {
    if (review_.answered_by(image) && asked_frame_ != 0) {
      times_.add_review(window_frame_ - asked_frame_);
      asked_frame_ = 0;
    }
    return;
  }
  if (std::exchange(shown_ready_ns_, image.ready_ns) == image.ready_ns) return;  // side A of a comparison came
  ++shown_;
  trace_.add_latency(Latency::ready_of_shown, image.stamp.acquired_ns, image.ready_ns);
  trace_.add_latency(Latency::shown, image.stamp.acquired_ns, times.shown);
}

// Something that the next window frame will show, or will go on with. Everything else is looked for at kIdleNs.
bool WindowApp::must_draw() const {
  // Of what the window will take: other mailboxes keep their news.
  const bool kept_news = past_.images[0].has_news() || (state_.cine.compare && past_.images[1].has_news()) ||
                         (state_.params.color_flow.mode != FlowMode::off && past_.flow.has_news());
  const bool news = review_.frozen() ? kept_news : live_.images.has_news();
  return news || film_ != nullptr || fine_points_.busy() || fine_points_a_.busy() || state_.measured.fine_came ||
         viewer_->wants_frame() || viewer_->should_close() || opener_.fraction() != fraction_drawn_;
}

// Where swapping buffers does not wait for the display (software OpenGL, a virtual one), 60 frames a second are enough.
// With no new image and no input there is nothing to draw: the panels are laid out now and then to see whether a
// counter, a message or a file on disk has changed them, and drawn only then (Viewer::drawn).
void WindowApp::wait_for_frame() {
  constexpr std::int64_t kFrameNs = 1'000'000'000 / 60;
  const std::int64_t idle_ns = review_.frozen() ? 250'000'000 : 100'000'000;
  const std::int64_t last_drawn_ns = drawn_ns_;
  bool touched = false;  // the wait ended early: there is input
  do {
    due_ns_ = std::max(due_ns_ + kFrameNs, now_ns() - kFrameNs);
    for (std::int64_t left = due_ns_ - now_ns(); left > 0; left = due_ns_ - now_ns()) {
      viewer_->wait_events(static_cast<double>(left) * 1e-9);
      touched = touched || now_ns() < due_ns_;
    }
    drawn_ns_ = now_ns();
  } while (!touched && !must_draw() && drawn_ns_ - last_drawn_ns < idle_ns);
  fraction_drawn_ = opener_.fraction();
}

void WindowApp::run_commands() {
  // A command may queue another one: that one's turn comes after the next frame.
  for (const Command& command : std::exchange(commands_, {})) {
    try {
      command.act();
      resolve(state_.messages, command.cause);
    } catch (const std::exception& error) {
      say(Severity::error, error.what(), command.cause);
    }
  }
}

void WindowApp::take_opened() {
  state_.progress.reset();
  if (opener_.busy()) {
    state_.progress = Progress{.text = "Opening " + opener_.name(), .fraction = opener_.fraction()};
  }
  auto result = opener_.take();
  if (!result.has_value()) return;
  state_.progress.reset();
  open_question_.reset();  // about a recording that is not wanted any more
  state_.unsandboxed.reset();
  try {
    if (result->error != nullptr) std::rethrow_exception(result->error);
    start_session(std::move(*result->opened));
    resolve(state_.messages, "opening");
  } catch (const NoSandbox& why) {
    ask_without_sandbox(Asker::opened, why);
  } catch (const Error& error) {
    opening_failed(error);
  } catch (const std::exception& error) {
    if (source_ == nullptr) throw;
    opening_failed(Error::from_line(error.what()));
  }
}

// Of the source, as `error` says.
void WindowApp::opening_failed(const Error& error) {
  if (source_ == nullptr) throw error;  // the one that the command line named: end with the reason
  pending_session_.reset();
  current_becomes_a_ = false;
  state_.facts = facts_;  // the panel shows the facts in force
  next_setup_.reset();
  say(Severity::error, error.what(), "opening");
}

void WindowApp::cancel() {
  if (opener_.busy()) {
    opener_.cancel();
  } else if (compared_.opening()) {
    end_other_recording("Opening " + compared_.name() + " was cancelled.");
  } else if (film_ != nullptr) {
    film_->give_up({});
  }
}

// Whatever asks for it: says why nothing is opened, written or deleted.
bool WindowApp::refused_in_kiosk() {
  if (state_.kiosk.empty()) return false;
  say(Severity::info, state_.kiosk);
  return true;
}

void WindowApp::say(Severity severity, const std::string& text, const std::string& cause) {
  post(state_.messages, {.severity = severity, .clock = clock_text(), .text = text, .cause = cause});
}

void WindowApp::hint(const std::string& text) {
  post(state_.messages, {.clock = clock_text(), .text = text, .stay = Stay::passing});
}

bool WindowApp::limits_reached() const {
  if (interrupted()) return true;
  const double seconds = static_cast<double>(now_ns() - started_ns_) * 1e-9;
  if (options_.duration_s > 0.0 && seconds >= options_.duration_s) return true;
  return options_.frames > 0 && session_ != nullptr && session_->done();
}

}  // namespace echoloop
