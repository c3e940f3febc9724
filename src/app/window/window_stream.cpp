#include "app/window/window_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/options/stream_defaults.h"
#include "app/stream/stream_memory.h"
#include "core/error.h"
#include "core/free_memory.h"
#include "core/number.h"
#include "core/param_table.h"
#include "core/plain_text.h"
#include "core/units.h"
#include "gui/docks/film_plan.h"
#include "history/file_sinks.h"

namespace echoloop {
namespace {

// Early enough that flow has its ensemble up to the session's frame.
std::uint64_t first_frame_of(const SavedSession* saved) {
  constexpr std::uint64_t kFramesBefore = 63;
  if (saved == nullptr || saved->moment == SavedMoment::live) return saved != nullptr ? saved->frame : 0;
  return saved->frame - std::min(saved->frame, kFramesBefore);
}

// To the list of recordings and scanners, the newest first.
void add_recent(std::vector<std::filesystem::path>& recent, const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path whole = is_file_source(file.string()) ? std::filesystem::absolute(file, error) : file;
  if (error) return;
  std::erase(recent, whole);
  recent.insert(recent.begin(), whole);
  if (recent.size() > kMostRecent) recent.pop_back();
}

}  // namespace

void WindowStream::describe_backend() {
  UiState& state = parts_.state;
  state.device.backend = parts_.backend->name();
  state.device.name = parts_.backend->device();
  state.no_effect = {.files = state.no_effect.files};  // a kiosk stays one
  state.cine.keep_acquiring = parts_.on_gpu();         // elsewhere the frozen image needs the machine's time
  if (parts_.on_gpu()) return;
  state.no_effect.host_memory = "No effect on the CPU: the kind of memory matters for GPU copies only.";
  state.no_effect.streams = "No effect on the CPU: copies and kernels overlap on a GPU only.";
  state.no_effect.lanes = "No effect on the CPU: one frame at a time uses all cores.";
  state.no_effect.precision = "GPU only; the CPU uses single precision.";
}

// Of another source than the one before.
ImagingParams WindowStream::params_to_start(const ImagingParams& defaults) const {
  // The command line's settings are meant for its source.
  if (parts_.source == nullptr) return apply_settings(defaults, parts_.options.settings);
  ImagingParams params = defaults;  // the display stays as the user left it
  const DisplayParams& display = parts_.state.params.display;
  params.display.dynamic_range_db = display.dynamic_range_db;
  params.display.gamma = display.gamma;
  params.display.color_map = display.color_map;
  return params;
}

// Of the same source with other facts: parameters at their defaults follow the facts: band, depth, gate ...
ImagingParams WindowStream::params_with_facts(const ImagingParams& defaults) const {
  ImagingParams params = parts_.state.params;
  for (const ParamSpec& spec : param_table()) {
    const bool own = get_number(params, spec) != get_number(parts_.state.defaults, spec);
    if (spec.from_acquisition && !own) set_number(params, spec, get_number(defaults, spec));
  }
  return params;
}

WindowStream::Plan WindowStream::plan(const OpenedSource& opened, const WindowOpening::Purpose& purpose,
                                      const WindowPresets& presets) {
  const SavedSession* saved = purpose.session.get();
  const SourceInfo &now = opened.info, &before = parts_.state.source;
  const bool same = now.opened_as == before.opened_as || (!now.phantom.empty() && now.phantom == before.phantom);
  Plan plan{.first = parts_.source == nullptr,
            .change = saved == nullptr && same ? Change::same_source : Change::another_source,
            .described_again = now.live && before.live && same && now.acquisition != before.acquisition,
            .defaults = window_params(opened),
            .preset = {},
            .stream = parts_.state.stream};
  const auto& settings = parts_.options.settings;
  const ImagingParams params = saved != nullptr ? apply_settings(plan.defaults, plan.first ? settings : saved->settings)
                               : plan.change == Change::same_source ? params_with_facts(plan.defaults)
                                                                    : params_to_start(plan.defaults);
  // A session has parameters of its own: the preset of the source before is not theirs.
  plan.preset = {params, saved != nullptr ? std::filesystem::path() : presets.active()};
  if (purpose.setup) {
    plan.preset = {purpose.setup->params, purpose.setup->preset};
  } else if (saved == nullptr && plan.change == Change::another_source && (!plan.first || settings.empty())) {
    plan.preset = presets.default_for(params, *now.acquisition);
  }
  plan.stream.paused = false;
  if (saved != nullptr) {
    if (!plan.first) plan.stream = saved->stream;
    chosen_queue_.reset();
  } else if (!purpose.setup) {
    if (!plan.first) plan.stream.rate_hz = 0.0;  // each source has a pace of its own
    choose_queue(plan.stream, now);
  }
  check_params_of(opened, plan.preset.params);
  require_room(opened, plan.stream);
  return plan;
}

void WindowStream::describe(const OpenedSource& opened, const Plan& plan) {
  UiState& state = parts_.state;
  const Acquisition& acquisition = *opened.info.acquisition;
  state.facts.given = parts_.facts = opened.facts;
  if (plan.change == Change::another_source) {
    state.cine.speed = state.saving.film.speed = starting_speed(acquisition.frame_rate_hz);
    state.facts.assumed.clear();
  }
  for (const FactSpec& spec : fact_specs()) {
    if (!opened.facts.contains(spec.key)) state.facts.assumed[spec.key] = spec.get(acquisition);
  }
  state.stream = plan.stream;
  state.params = accepted_ = plan.preset.params;
  state.defaults = plan.defaults;
  state.source = opened.info;
  state.notices.formation_warning = formation_warning(acquisition, state.params);
  if (!plan.first) state.opening.continue_with.clear();
  parts_.named = opened.name;
}

void WindowStream::report(const OpenedSource& opened, const Plan& plan) {
  UiState& state = parts_.state;
  const Acquisition& acquisition = *opened.info.acquisition;
  const bool recording = opened.info.phantom.empty();
  if (recording) add_recent(state.opening.recent, opened.name);
  const std::string elements = counted(acquisition.n_elements(), "element");
  const std::string transmits = counted(acquisition.n_transmits(), "transmit");
  if (plan.described_again) {
    parts_.say(Severity::info,
               fmt::format("New description: {}, {}. History of the old one stays until its frames are replaced.",
                           elements, transmits));
  } else {
    parts_.say(Severity::info, fmt::format("{}: {}, {}, {:g} MHz", opened.info.name, elements, transmits,
                                           acquisition.center_hz * 1e-6));
  }
  state.notices.messages.resolve("source");
  doubts_.begin();
  if (plan.first && !state.opening.unfinished.empty()) {
    parts_.say(Severity::warning,
               "Unfinished recording: " + state.opening.unfinished.filename().string() +
                   ". Open the Source panel to repair the file.",
               "unfinished");
  }
  const WindowPresets::Default& preset = plan.preset;
  if (!preset.note.empty()) {
    parts_.say(preset.file.empty() ? Severity::warning : Severity::info, preset.note, "source");
  }
  if (!recording || plan.change == Change::same_source) return;
  for (const Assumption& assumed : acquisition.assumptions) {
    parts_.say(Severity::warning,
               capitalized(assumed.text) + (assumed.fact.empty() ? "" : ". Set the value in the Source panel."),
               "source");
  }
}

void WindowStream::choose_queue(StreamSettings& stream, const SourceInfo& source) {
  const Options& options = parts_.options;
  const bool users = parts_.source == nullptr ? options.queue_given
                                              : !chosen_queue_.has_value() || chosen_queue_->policy != stream.policy ||
                                                    chosen_queue_->slots != stream.slots;
  if (users) return chosen_queue_.reset();
  stream = start_settings(stream, {.phantom = !source.phantom.empty(),
                                   .every_frame = options.frames > 0 || !frame_file(options, kRecordOption).empty() ||
                                                  !options.video.empty(),
                                   .on_cpu = !parts_.on_gpu(),
                                   .slow_motion = source.rate_hz < source.acquisition->frame_rate_hz});
  chosen_queue_ = stream;
}

void WindowStream::require_room(const OpenedSource& opened, const StreamSettings& stream) const {
  const std::size_t need = slots_bytes(*opened.source, stream);
  const std::size_t given_back =
      parts_.session != nullptr ? parts_.session->memory().host_bytes + parts_.history.extent().bytes : 0;
  const std::size_t there_is = free_host_memory() + given_back;
  if (need <= there_is) return;
  throw Error(opened.name, fmt::format("frames need {} in {} slots", megabytes(need), stream.slots),
              "at most " + megabytes(there_is) + ", which is free", "use fewer slots");
}

void WindowStream::make(const std::shared_ptr<Source>& source, Start start) {
  parts_.live.reset_analyses();  // of another stream
  parts_.past.flow.reset();
  parts_.trace.clear();
  parts_.trace.count_latencies_from(now_ns());
  stats_ = {};
  // A scanner that is described again: what is kept stays until newer frames need its room.
  const bool same_scanner = source == parts_.source && source->live() != nullptr;
  if (!same_scanner && (source != parts_.source || source->acquisition() != acquisition_)) parts_.history.clear();
  acquisition_ = source->acquisition();
  parts_.session = std::make_unique<Session>(
      *parts_.backend, source, parts_.live.images, parts_.trace,
      SessionOptions{.stream = start.stream,
                     .params = parts_.state.params,
                     .max_frames = parts_.options.frames,
                     .host_copy = start.host_copy,
                     .on_image = std::move(start.on_image),
                     .samples = parts_.state.source.samples,
                     .sinks = std::move(start.sinks),
                     .past = &parts_.past,
                     .inspections = &parts_.inspections,
                     .analyses = parts_.live.analyses(),
                     .first_frame = first_frame_of(start.saved),
                     .counts = start.counts,
                     .held_reference_db = start.saved != nullptr ? start.saved->held_reference_db : kAutoReference,
                     .in_background = true});
}

bool WindowStream::acquisition_changed() const {
  return parts_.source->live() != nullptr && parts_.session->producer_state() == ProducerState::changed;
}

OpenedSource WindowStream::described_again() {
  OpenedSource opened{.name = parts_.named, .source = parts_.source, .facts = {}, .info = parts_.state.source};
  opened.info.acquisition = parts_.source->acquisition();
  opened.info.rate_hz = default_rate_hz(*opened.info.acquisition);
  try {
    check_params(*opened.info.acquisition, params_with_facts(window_params(opened)));
  } catch (const Error&) {
    parts_.state.params = parts_.state.defaults;
  }
  return opened;
}

void WindowStream::apply_params() {
  if (parts_.session == nullptr) return;
  UiState& state = parts_.state;
  const Acquisition& acquisition = *parts_.source->acquisition();
  try {
    check_params(acquisition, state.params);
  } catch (const std::exception& error) {
    state.params = accepted_;  // the panel shows the parameters of the image
    parts_.hint(error.what());
    return;
  }
  accepted_ = state.params;
  parts_.session->set_params(state.params);
  const std::string warning = formation_warning(acquisition, state.params);
  if (warning.empty()) state.notices.messages.resolve("formation");
  if (warning != state.notices.formation_warning && !warning.empty())
    parts_.say(Severity::warning, warning, "formation");
  state.notices.formation_warning = warning;
}

void WindowStream::apply(const StreamSettings& wanted) {
  if (parts_.session == nullptr) return;
  UiState& state = parts_.state;
  try {
    parts_.session->begin_stream(wanted);
    state.notices.messages.resolve("stream");
  } catch (const std::exception& error) {
    const StreamSettings panel = state.stream;
    state.stream = parts_.session->stream();  // the panel shows the settings in use
    state.stream.paused = panel.paused;       // as they are before WindowReview::adjusted()
    state.stream.loop = panel.loop;
    parts_.say(Severity::error, error.what(), "stream");
  }
}

void WindowStream::advance() {
  doubts_.look();
  try {
    parts_.session->advance();
  } catch (const std::exception& error) {
    parts_.session.reset();  // not even the old settings work any more
    parts_.state.run = RunState::fault;
    parts_.state.notices.fault = FaultNotice{.title = "The stream could not be started",
                                             .detail = error.what(),
                                             .advice = "undo the change, then restart.",
                                             .can_restart = true,
                                             .can_use_cpu = parts_.on_gpu()};
  }
}

void WindowStream::report_refusal() {
  const std::string refusal = parts_.session->take_refusal();
  if (refusal.empty()) return;
  parts_.say(Severity::error, refusal, "stream");
  const bool loop = parts_.state.stream.loop;
  parts_.state.stream = parts_.session->stream();
  parts_.state.stream.loop = loop;
}

}  // namespace echoloop
