// WindowApp's stream: starting, restarting and changing what runs behind the window.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "app/spare_memory.h"
#include "app/stream_defaults.h"
#include "app/window_app.h"
#include "core/error.h"
#include "core/free_memory.h"
#include "core/param_table.h"
#include "gui/film_plan.h"
#include "gui/mark_editor.h"

namespace echoloop {
namespace {

// Early enough that flow has its ensemble up to the session's frame.
std::uint64_t first_frame_of(const SavedSession* saved) {
  constexpr std::uint64_t kFramesBefore = 63;
  if (saved == nullptr || saved->moment == SavedMoment::live) return saved != nullptr ? saved->frame : 0;
  return saved->frame - std::min(saved->frame, kFramesBefore);
}

}  // namespace

void WindowApp::make_session(const std::shared_ptr<Source>& source, const StreamSettings& stream,
                             const ImagingParams& params, const SavedSession* saved) {
  give_up_film("the stream was restarted");
  session_.reset();
  review_.forget(state_.cine);
  inspecting_.forget(state_);
  fine_points_.forget(state_.measured);
  fine_points_a_.forget(state_.measured_a);
  if (source != source_) state_.inspected.reset();
  frozen_by_itself_ = false;
  live_.flow.reset();  // of another stream
  live_.structure.reset();
  live_.sonogram.reset();
  past_.flow.reset();
  trace_.clear();
  trace_.count_latencies_from(now_ns());
  feed_ = {};
  shown_ = 0;  // as all counts
  if (source != source_) history_.clear();
  session_ = std::make_unique<Session>(
      *backend_, source, live_.images, trace_,
      SessionOptions{.stream = stream,
                     .params = params,
                     .max_frames = options_.frames,
                     .host_copy = host_copy(),
                     .on_image = video_taker(),
                     .samples = state_.source.samples,
                     .history = history_.budget_bytes() > 0 ? &history_ : nullptr,
                     .recorder = recording_.recorder(),
                     .past = &past_,
                     .inspections = &inspections_,
                     .side = live_.side(),
                     .first_frame = first_frame_of(saved),
                     .held_reference_db = saved != nullptr ? saved->held_reference_db : kAutoReference,
                     .in_background = true});
}

// Of another source than the one before.
ImagingParams WindowApp::params_to_start(const ImagingParams& defaults) const {
  // What the command line set is meant for the source that it named.
  if (source_ == nullptr) return apply_settings(defaults, options_.settings);
  ImagingParams params = defaults;  // the display stays as the user left it
  params.display.dynamic_range_db = state_.params.display.dynamic_range_db;
  params.display.gamma = state_.params.display.gamma;
  params.display.color_map = state_.params.display.color_map;
  return params;
}

// Of the same source with other facts: parameters at their defaults follow the facts: band, depth, gate ...
ImagingParams WindowApp::params_with_facts(const ImagingParams& defaults) const {
  ImagingParams params = state_.params;
  for (const ParamSpec& spec : param_table()) {
    const bool own = get_number(params, spec) != get_number(state_.defaults, spec);
    if (spec.from_acquisition && !own) set_number(params, spec, get_number(defaults, spec));
  }
  return params;
}

void WindowApp::start_session(OpenedSource opened) {
  const ImagingParams defaults = window_params(opened);
  const bool first = source_ == nullptr;
  const std::shared_ptr<const SavedSession> saved = std::exchange(pending_session_, nullptr);
  // With other facts, or a phantom with other settings.
  const bool same = opened.info.opened_as == state_.source.opened_as ||
                    (!opened.info.phantom.empty() && opened.info.phantom == state_.source.phantom);
  const bool again = saved == nullptr && same;
  ImagingParams params = saved != nullptr ? apply_settings(defaults, first ? options_.settings : saved->settings)
                         : again          ? params_with_facts(defaults)
                                          : params_to_start(defaults);
  std::optional<Setup> setup_then = std::exchange(next_setup_, std::nullopt);
  if (setup_then && (saved != nullptr || setup_then->source != opened.info.opened_as)) setup_then.reset();
  // A session has parameters of its own: the preset of the source before is not theirs.
  DefaultPreset chosen{params, saved != nullptr ? std::filesystem::path() : active_preset_, {}};
  if (setup_then) {
    chosen = {setup_then->params, setup_then->preset, {}};
  } else if (saved == nullptr && !again && (!first || options_.settings.empty()))
    chosen = default_preset(params, *opened.info.acquisition);
  params = chosen.params;
  StreamSettings stream = state_.stream;
  stream.paused = false;
  if (saved != nullptr) {
    if (!first) stream = saved->stream;
    chosen_queue_.reset();
  } else if (!setup_then) {
    if (!first) stream.rate_hz = 0.0;  // each source has a pace of its own
    choose_queue(stream, opened.info);
  }
  // Before the old stream is given up.
  check_params(*opened.info.acquisition, params);
  require_room(opened, stream);
  if (!first) recording_.end("another source was opened");
  if (first && !options_.record.empty()) recording_.start(options_.record, *opened.source, params);
  const bool becomes_a = std::exchange(current_becomes_a_, false) && state_.cine.compare;
  if (becomes_a) use_as_a(current_source(), state_.params);
  if (!again && compared_.opened() == nullptr) {  // what was drawn and held belongs to the other image
    if (!first) clear_marks(state_.marks);        // else those of the command line
    state_.inspected.reset();
    state_.pan_zoom = {};
    state_.cine.compare = false;
  }
  if (!again) {
    state_.cine.speed = state_.saving.film.speed = starting_speed(opened.info.acquisition->frame_rate_hz);
  }
  state_.facts = facts_ = opened.facts;
  if (!again) state_.assumed_facts.clear();
  for (const FactSpec& spec : fact_specs()) {
    if (!opened.facts.contains(spec.key)) state_.assumed_facts[spec.key] = spec.get(*opened.info.acquisition);
  }
  state_.stream = stream;
  state_.params = accepted_ = params;
  state_.defaults = defaults;
  state_.source = opened.info;
  named_ = opened.name;
  restore_view(saved.get());
  if (frame_to_freeze_) stream.policy = RingPolicy::block;  // dropped, the frame could not come back
  make_session(opened.source, stream, params, saved.get());
  source_ = std::move(opened.source);
  if (!first) give_back_freed_memory();
  active_preset_ = chosen.file;
  describe_presets();
  state_.formation_warning = formation_warning(*opened.info.acquisition, params);
  if (opened.info.phantom.empty()) remember(opened.name);
  if (!first) state_.continue_with.clear();
  say(Severity::info, fmt::format("{}: {} elements, {} {}, {:g} MHz", opened.info.name,
                                  opened.info.acquisition->n_elements(), opened.info.acquisition->n_transmits(),
                                  opened.info.acquisition->n_transmits() == 1 ? "transmit" : "transmits",
                                  opened.info.acquisition->center_hz * 1e-6));
  if (setup_then) take_setup(*setup_then);
  if (first) {
    start_ = setup();
    start_->view = {};
    reset_ns_ = now_ns();
  }
  resolve(state_.messages, "source");
  if (first && !state_.unfinished.empty()) {
    say(Severity::warning,
        "Unfinished recording: " + state_.unfinished.filename().string() +
            ". Open the Source panel to repair the file.",
        "unfinished");
  }
  if (!chosen.note.empty()) say(chosen.file.empty() ? Severity::warning : Severity::info, chosen.note, "source");
  if (!opened.info.phantom.empty() || again) return;
  for (const Assumption& assumed : opened.info.acquisition->assumptions) {
    say(Severity::warning,
        "Assumed: " + assumed.text + (assumed.fact.empty() ? "" : ". Set the value in the Source panel."), "source");
  }
}

// Of the memory that there will be when the old stream is gone.
void WindowApp::require_room(const OpenedSource& opened, const StreamSettings& stream) const {
  const std::size_t need = stream_host_bytes(*backend_, *opened.source, stream);
  const std::size_t given_back = session_ != nullptr ? session_->memory().host_bytes + history_.extent().bytes : 0;
  const std::size_t there_is = free_host_memory() + given_back;
  if (need <= there_is) return;
  throw Error(opened.name, fmt::format("frames need {} in {} slots", megabytes(need), stream.slots),
              "at most " + megabytes(there_is) + ", which is free", "use fewer slots");
}

void WindowApp::remember(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  if (error) return;
  std::erase(state_.recent, whole);
  state_.recent.insert(state_.recent.begin(), whole);
  if (state_.recent.size() > kMostRecent) state_.recent.pop_back();
}

// Policy and slots, as long as no user chose others.
void WindowApp::choose_queue(StreamSettings& stream, const SourceInfo& source) {
  const bool first = source_ == nullptr;
  const bool users = first ? options_.queue_given
                           : !chosen_queue_.has_value() || chosen_queue_->policy != stream.policy ||
                                 chosen_queue_->slots != stream.slots;
  if (users) return chosen_queue_.reset();
  stream =
      start_settings(stream, {.phantom = !source.phantom.empty(),
                              .every_frame = options_.frames > 0 || !options_.record.empty() || !options_.video.empty(),
                              .on_cpu = backend_->name() != "CUDA",
                              .slow_motion = source.rate_hz < source.acquisition->frame_rate_hz});
  chosen_queue_ = stream;
}

void WindowApp::restart(const StreamSettings& stream) {
  if (source_ == nullptr) return;
  recording_.end("the stream was restarted");
  make_session(source_, stream, state_.params);
  state_.fault.reset();
  resolve(state_.messages, "fault");
  say(Severity::info, "Restarted");
}

void WindowApp::describe_backend() {
  state_.backend = backend_->name();
  state_.device = backend_->device();
  state_.no_effect = {};
  state_.cine.keep_acquiring = state_.backend == "CUDA";  // elsewhere the frozen image needs the machine's time
  if (state_.backend == "CUDA") return;
  state_.no_effect.host_memory = "No effect on the CPU: the kind of memory matters for GPU copies only.";
  state_.no_effect.streams = "No effect on the CPU: copies and kernels overlap on a GPU only.";
  state_.no_effect.lanes = "No effect on the CPU: one frame at a time uses all cores.";
  state_.no_effect.precision = "GPU only; the CPU uses single precision.";
}

void WindowApp::use_cpu() {
  give_up_film("the stream was restarted");
  recording_.end("the stream continued on the CPU");
  recording_.finish();  // what waits may lie in the device's memory
  session_.reset();
  review_.forget(state_.cine);
  if (!backend_->usable()) history_.clear();  // its memory was the lost device's
  viewer_->forget_image();
  live_.images.reset();  // their storage belongs to the device
  for (Mailbox<Image>& past : past_.images) past.reset();
  backend_ = make_cpu_backend();
  describe_backend();
  choose_queue(state_.stream, state_.source);
  restart(state_.stream);
}

void WindowApp::apply_params() {
  if (session_ == nullptr) return;
  try {
    check_params(*source_->acquisition(), state_.params);
  } catch (const std::exception& error) {
    state_.params = accepted_;  // the panel shows what makes the picture
    hint(error.what());
    return;
  }
  accepted_ = state_.params;
  session_->set_params(state_.params);
  const std::string warning = formation_warning(*source_->acquisition(), state_.params);
  if (warning.empty()) resolve(state_.messages, "formation");
  if (warning != state_.formation_warning && !warning.empty()) say(Severity::warning, warning, "formation");
  state_.formation_warning = warning;
}

void WindowApp::apply_stream() {
  if (session_ == nullptr) return;
  StreamSettings wanted = state_.stream;
  const bool rests = review_.frozen() && !frozen_by_itself_ && !state_.cine.keep_acquiring;
  wanted.paused = wanted.paused || rests;
  if (frame_to_freeze_) wanted.policy = RingPolicy::block;
  try {
    session_->begin_stream(wanted);
    resolve(state_.messages, "stream");
  } catch (const std::exception& error) {
    const bool paused = state_.stream.paused;
    state_.stream = session_->stream();  // the panel shows what holds
    state_.stream.paused = paused;
    say(Severity::error, error.what(), "stream");
  }
}

// The other half of a change of slots, lanes, memory or streams, and of a start: made on a thread of its own.
void WindowApp::go_on_with_stream() {
  try {
    session_->advance();
  } catch (const std::exception& error) {
    session_.reset();  // not even the old arrangement can be made any more
    state_.run = RunState::fault;
    state_.fault = Fault{.title = "The stream could not be started",
                         .detail = error.what(),
                         .advice = "undo the change, then restart.",
                         .can_restart = true,
                         .can_use_cpu = backend_->name() == "CUDA"};
  }
}

void WindowApp::toggle_record() {
  if (state_.recording.on) {
    recording_.end("");
  } else if (!recording_.under_way() && session_ != nullptr && !state_.fault.has_value()) {
    if (!folder_ready(UserFolder::videos)) return;
    const std::string name =
        fmt::format("{}_{:%Y%m%d-%H%M%S}", file_stem(state_.source), fmt::localtime(std::time(nullptr)));
    recording_.start(new_save(UserFolder::videos, name, ".uff"), *source_, state_.params);
    resolve(state_.messages, "saving");  // the folder can be written
  }
}

}  // namespace echoloop
