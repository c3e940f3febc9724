#include "app/window/window_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/options/preset.h"
#include "app/stream/session.h"
#include "backend/own_process.h"
#include "core/error.h"
#include "core/own_method.h"
#include "core/param_table.h"
#include "core/units.h"
#include "gui/docks/docks.h"
#include "history/file_sinks.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

// Returns a frame early enough to fill the flow ensemble; adaptive methods would need minutes for that.
std::uint64_t first_frame_of(const SavedSession* saved, const ImagingParams& params) {
  if (saved == nullptr) return 0;
  const bool flow = params.color_flow.mode != FlowMode::off;
  const bool before = saved->moment == SavedMoment::frozen && (flow || params.formation.adaptive == Adaptive::off);
  constexpr std::uint64_t kFramesBefore = 63;
  return saved->frame - (before ? std::min(saved->frame, kFramesBefore) : 0);
}

// Adds to the list of recordings and scanners, newest first.
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
  state_.device.backend = engine_.backend->name();
  state_.cine.keep_acquiring = engine_.on_gpu();  // otherwise the frozen image needs the machine's time
  describe_transport();
  // An own method is compiled for one device, and again for another one.
  if (FormationParams& f = state_.params.formation; f.adaptive == Adaptive::own && f.own != nullptr &&
                                                    f.own->process == nullptr &&
                                                    (f.own->kernels != nullptr) != engine_.on_gpu())
    f.adaptive = Adaptive::off;
}

// Names the device with its simulated bus, and the controls without an effect.
void WindowStream::describe_transport() {
  WindowState& state = state_;
  state.device.name = engine_.backend->device();
  state.no_effect = {.files = state.no_effect.files};  // a kiosk remains one
  if (engine_.on_gpu()) return;
  const double bus_gbps = state.stream.copy.bus_gbps;
  if (bus_gbps > 0.0) {
    state.device.name += fmt::format(", simulated bus {:g} GB/s", bus_gbps);
  } else {
    state.no_effect.host_memory = "No effect on the CPU without a simulated bus: samples are not copied.";
    state.no_effect.streams = "No effect on the CPU without a simulated bus: there are no copies to overlap.";
    state.no_effect.lanes = "No effect on the CPU without a simulated bus: one frame at a time uses all cores.";
  }
  state.no_effect.precision = "GPU only; the CPU uses single precision.";
}

// Returns the parameters for another source.
ImagingParams WindowStream::params_to_start(const ImagingParams& defaults) const {
  ImagingParams params = defaults;  // the display remains as set by the user
  const DisplayParams& display = state_.params.display;
  params.display.dynamic_range_db = display.dynamic_range_db;
  params.display.gamma = display.gamma;
  params.display.color_map = display.color_map;
  return params;
}

// Returns the parameters for the same source with other facts: default ones follow the facts: band, depth, gate ...
ImagingParams WindowStream::params_with_facts(const ImagingParams& defaults) const {
  ImagingParams params = state_.params;
  for (const ParamSpec& spec : param_table()) {
    const bool own = get_number(params, spec) != get_number(state_.defaults, spec);
    if (spec.from_acquisition && !own) set_number(params, spec, get_number(defaults, spec));
  }
  return params;
}

WindowStream::Plan WindowStream::plan(const OpenedSource& opened, const WindowOpening::Purpose& purpose,
                                      const WindowPresets& presets) {
  const SavedSession* saved = purpose.session.get();
  const SourceInfo &now = opened.info, &before = state_.source;
  const bool same = now.opened_as == before.opened_as || (!now.phantom.empty() && now.phantom == before.phantom);
  Plan plan{.first = in_use_.source == nullptr,
            .change = saved == nullptr && same && !purpose.setup ? Change::same_source : Change::another_source,
            .described_again = now.live && before.live && same && now.acquisition != before.acquisition,
            .defaults = window_params(opened),
            .preset = {},
            .stream = state_.stream};
  static const std::vector<std::string> kNone;
  const bool meant = purpose.refused.empty();  // the command line's settings apply to its own source
  const auto& settings = meant ? given_.imaging.settings : kNone;
  const auto given = [&] {
    return meant ? given_params(given_.imaging, plan.defaults, *now.acquisition) : plan.defaults;
  };
  const ImagingParams params = saved != nullptr && !plan.first      ? apply_settings(plan.defaults, saved->settings)
                               : saved != nullptr                   ? given()
                               : plan.change == Change::same_source ? params_with_facts(plan.defaults)
                               : plan.first                         ? given()
                                                                    : params_to_start(plan.defaults);
  // A session has its own parameters: the previous source's preset does not apply.
  plan.preset = {params, saved != nullptr ? std::filesystem::path() : presets.active()};
  if (purpose.setup) {
    plan.preset = {purpose.setup->params, purpose.setup->preset};
  } else if (saved == nullptr && plan.change == Change::another_source && (!plan.first || settings.empty())) {
    plan.preset = presets.default_for(params, *now.acquisition, phantom_preset(now.phantom));
  }
  if (saved != nullptr) doubts_.set_dismissed(opened.name, dismissed_texts(saved->doubts));
  plan.stream.paused = false;
  if (purpose.setup) {
    plan.stream = purpose.setup->stream;
    chosen_queue_ = purpose.setup->chosen_queue;
  } else if (saved != nullptr) {
    if (!plan.first) plan.stream = saved->stream;
    chosen_queue_.reset();
  } else if (!plan.first) {
    plan.stream.rate_hz = 0.0;  // each source has its own rate
  }
  if (saved == nullptr) choose_queue(plan.stream, now, plan.preset.params);
  check_params_of(opened, plan.preset.params);
  require_room(opened, plan.stream, plan.preset.params);
  return plan;
}

void WindowStream::describe(const OpenedSource& opened, const Plan& plan) {
  WindowState& state = state_;
  const Acquisition& acquisition = *opened.info.acquisition;
  state.facts.given = in_use_.facts = opened.facts;
  if (plan.change == Change::another_source) {
    state.cine.speed = state.save.film.speed = starting_speed(acquisition.frame_rate_hz);
    state.assumed.clear();
  }
  for (const FactRow* const row : given_facts()) {
    if (!opened.facts.contains(row->name)) state.assumed[row->name] = fact_of(acquisition, *row);
  }
  state.stream = plan.stream;
  describe_transport();
  state.automatic_policy = chosen_queue_ ? std::optional(chosen_queue_->policy) : std::nullopt;
  state.params = accepted_ = plan.preset.params;
  state.defaults = plan.defaults;
  state.source = opened.info;
  state.notices.formation_warning = formation_warning(acquisition, state.params);
  if (!plan.first) state.opening.continue_with.clear();
  in_use_.named = opened.name;
}

void WindowStream::report(const OpenedSource& opened, const Plan& plan) {
  WindowState& state = state_;
  const Acquisition& acquisition = *opened.info.acquisition;
  const bool recording = opened.info.phantom.empty();
  if (recording) add_recent(state.opening.recent, opened.name);
  const std::string elements = counted(acquisition.n_elements(), "element");
  const std::string transmits = counted(acquisition.n_transmits(), "transmit");
  if (plan.described_again) {
    state_.say(Severity::info,
               fmt::format("New description: {}, {}. History of the old one stays until its frames are replaced.",
                           elements, transmits));
  } else {
    state_.say(Severity::info, fmt::format("{}: {}, {}, {:g} MHz", opened.info.name, elements, transmits,
                                           acquisition.center_hz * 1e-6));
  }
  state.notices.messages.resolve("source");
  doubts_.begin();
  if (plan.first && !state.opening.unfinished.empty()) {
    state_.say(Severity::warning,
               "Unfinished recording: " + state.opening.unfinished.filename().string() +
                   ". Open the Source panel to repair the file.",
               "unfinished");
  }
  const WindowPresets::Default& preset = plan.preset;
  if (!preset.note.empty()) {
    state_.say(preset.file.empty() ? Severity::warning : Severity::info, preset.note, "source");
  }
  if (const ProbePreset& given = given_.imaging.preset; plan.first && given.preset != nullptr) {
    const std::string why = why_not_whole(*given.preset, acquisition);
    if (!why.empty()) state_.say(Severity::warning, why, "source");
  }
  if (!recording || plan.change == Change::same_source) return;
  for (const Assumption& assumed : acquisition.assumptions) {
    if (assumed.fact == "frame_rate_hz" && acquisition.frame_rate_hz == 0.0) {
      state_.say(Severity::warning, "Frame rate unknown. Set it in Source for flow, Doppler and playback in real time.",
                 "source");
      continue;
    }
    state_.say(
        Severity::warning,
        capitalized(assumed.text) + (find_given(assumed.fact) == nullptr ? "" : ". Set the value in the Source panel."),
        "source");
  }
}

void WindowStream::choose_queue(StreamSettings& stream, const SourceInfo& source, const ImagingParams& params) {
  const bool users = in_use_.source == nullptr ? given_.queue_given
                                               : !chosen_queue_.has_value() || chosen_queue_->policy != stream.policy ||
                                                     chosen_queue_->slots != stream.slots;
  if (users) return chosen_queue_.reset();
  stream = start_settings(stream, {.phantom = !source.phantom.empty(),
                                   .every_frame = given_.every_frame,
                                   .on_cpu = !engine_.on_gpu(),
                                   .slow_motion = source.rate_hz < source.acquisition->frame_rate_hz,
                                   .ensembles = needs_ensembles(params)});
  chosen_queue_ = stream;
}

// Changes an automatic policy where Doppler is switched on or off.
void WindowStream::follow_doppler() {
  if (!chosen_queue_.has_value() || state_.source.phantom.empty()) return;
  StreamSettings wanted = state_.stream;
  choose_queue(wanted, state_.source, state_.params);
  if (wanted.policy == state_.stream.policy) return;
  state_.automatic_policy = wanted.policy;
  state_.stream = wanted;
  apply(wanted);
  if (wanted.policy == RingPolicy::block)
    state_.say(Severity::info,
               "Doppler needs consecutive frames: the phantom waits for the processing (Block the source).", "queue");
}

void WindowStream::require_room(const OpenedSource& opened, const StreamSettings& stream,
                                const ImagingParams& params) const {
  const std::size_t given_back =
      engine_.session != nullptr ? engine_.session->host_bytes() + engine_.history.extent().bytes : 0;
  require_memory(opened.name, stream, stream_need(*opened.source, params, stream, *engine_.backend), given_back,
                 engine_.backend->memory());
}

// Ends the session on a separate thread: a frame may be in process there, or the call wait for a scanner.
void WindowStream::end() {
  coming_.reset();
  if (engine_.session == nullptr) return;
  ended_ = std::async(std::launch::async, [session = std::move(engine_.session)]() mutable {
    session->end_soon();
    const RingCounts counts = session->counts();
    session.reset();
    give_back_freed_memory();
    return counts;
  });
}

void WindowStream::make(const std::shared_ptr<Source>& source, Start start) {
  // A scanner with a new description: the history remains until newer frames need its room.
  const bool same_scanner = source == in_use_.source && source->live() != nullptr;
  const bool same_frames = same_scanner || (source == in_use_.source && source->acquisition() == acquisition_);
  const bool kept = coming_ ? coming_->keeps_history : engine_.session != nullptr || !ended_.valid();
  describe_transport();
  Coming coming{.source = source,
                .start = std::move(start),
                .continues = continues(*source),
                .keeps_history = same_frames && kept};
  end();
  coming_ = std::move(coming);
  acquisition_ = source->acquisition();
  if (!ended_.valid()) return begin({});
  WindowState& state = state_;
  const std::uint64_t errors = state.numbers.errors;
  state.numbers = {};
  state.numbers.errors = errors;
  state.image.work = {};
  state.notices.fault.reset();
  const bool stays_frozen = coming_->continues && state.run == RunState::frozen;
  if (!stays_frozen) state.run = RunState::opening;
  if (!coming_->keeps_history) state.kept.frames = 0;
}

bool WindowStream::ended() const {
  return ended_.valid() && ended_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void WindowStream::finish_change() {
  if (ended_.valid()) begin(ended_.get());
}

// Starts the next stream; none runs. `counts`: of the previous one.
void WindowStream::begin(const RingCounts& counts) {
  const Coming coming = *std::exchange(coming_, std::nullopt);
  const Start& start = coming.start;
  engine_.live.reset_analyses();  // from another stream
  engine_.past.flow.reset();
  engine_.trace.clear();
  engine_.trace.count_latencies_from(now_ns());
  stats_ = {};
  if (!coming.keeps_history) engine_.history.clear();
  if (state_.source.live) state_.source.acquisition = coming.source->acquisition();  // the newest one
  engine_.session = std::make_unique<Session>(
      *engine_.backend, coming.source, engine_.live.images, engine_.trace,
      SessionOptions{.stream = start.stream,
                     .params = state_.params,
                     .max_frames = given_.max_frames,
                     .host_copy = start.host_copy,
                     .on_image = start.on_image,
                     .outlets = start.outlets,
                     .method_limit_s = given_.method_limit_s,
                     .samples = state_.source.samples,
                     .sinks = start.sinks,
                     .coarse = &engine_.live.coarse,
                     .past = &engine_.past,
                     .inspections = &engine_.inspections,
                     .analyses = engine_.live.analyses(),
                     .first_frame = first_frame_of(start.saved.get(), state_.params),
                     .counts = coming.continues ? counts : RingCounts{},
                     .held_reference_db = start.saved != nullptr ? start.saved->held_reference_db : kAutoReference,
                     .in_background = true});
}

bool WindowStream::acquisition_changed() const {
  return in_use_.source->live() != nullptr && engine_.session->producer_state() == ProducerState::changed;
}

OpenedSource WindowStream::described_again() {
  OpenedSource opened{.name = in_use_.named, .source = in_use_.source, .facts = {}, .info = state_.source};
  opened.info.acquisition = in_use_.source->acquisition();
  opened.info.rate_hz = default_rate_hz(*opened.info.acquisition);
  try {
    check_params(*opened.info.acquisition, params_with_facts(window_params(opened)));
  } catch (const Error&) {
    state_.params = state_.defaults;
  }
  return opened;
}

void WindowStream::apply_params() {
  if (in_use_.source == nullptr) return;
  WindowState& state = state_;
  const Acquisition& acquisition = *in_use_.source->acquisition();
  // Undo, presets and setups keep the method in use.
  if (const auto own = loaded_own_method(); state.params.formation.own != own)
    set_own_method(state.params.formation, own);
  try {
    check_params(acquisition, state.params);
  } catch (const std::exception& error) {
    state.params = accepted_;  // the panel then shows the image's parameters
    state_.hint(error.what());
    return;
  }
  accepted_ = state.params;
  if (engine_.session != nullptr) engine_.session->set_params(state.params);
  follow_doppler();
  const std::string warning = formation_warning(acquisition, state.params);
  if (warning.empty()) state.notices.messages.resolve("formation");
  if (warning != state.notices.formation_warning && !warning.empty())
    state_.say(Severity::warning, warning, "formation");
  state.notices.formation_warning = warning;
}

void WindowStream::apply(const StreamSettings& wanted) {
  if (engine_.session == nullptr) return;
  WindowState& state = state_;
  try {
    engine_.session->begin_stream(wanted);
    describe_transport();
    state.notices.messages.resolve("stream");
  } catch (const std::exception& error) {
    const StreamSettings panel = state.stream;
    state.stream = engine_.session->stream();  // the panel then shows the settings in use
    state.stream.paused = panel.paused;        // as they are before WindowReview::adjusted()
    state.stream.loop = panel.loop;
    state_.say(Severity::error, error.what(), "stream");
  }
}

void WindowStream::advance() {
  try {
    if (ended()) finish_change();
    if (engine_.session == nullptr) return;
    doubts_.look();
    engine_.session->advance();
  } catch (const std::exception& error) {
    fail(error.what());  // not even the old settings work
  }
}

void WindowStream::fail(const std::string& why) {
  state_.say(Severity::error, "The stream could not be started: " + why, "fault");
  engine_.session.reset();
  state_.run = RunState::fault;
  state_.notices.fault = FaultNotice{.title = "The stream could not be started",
                                     .detail = why,
                                     .advice = "undo the change, then restart.",
                                     .can_restart = true,
                                     .can_use_cpu = engine_.on_gpu()};
}

void WindowStream::report_refusal() {
  const std::string refusal = engine_.session->take_refusal();
  if (refusal.empty()) return;
  state_.say(Severity::error, refusal, "stream");
  const bool loop = state_.stream.loop;
  state_.stream = engine_.session->stream();
  state_.stream.loop = loop;
}

}  // namespace echoloop
