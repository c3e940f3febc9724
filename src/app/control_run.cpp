#include "app/control_run.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "app/control_methods.h"
#include "app/options/folders.h"
#include "app/options/terminal.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "backend/plan.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/export.h"
#include "source/live/live_source.h"

namespace echoloop {
namespace {

// Returns the parameters that differ from `start`, as KEY=VALUE; all without it.
std::vector<std::string> settings_of_params(const ImagingParams& params, const ImagingParams* start) {
  std::vector<std::string> settings;
  for (const ParamSpec& spec : param_table()) {
    if (start != nullptr && get_number(params, spec) == get_number(*start, spec)) continue;
    settings.push_back(
        std::string(spec.key) + "=" +
        (spec.choices.empty() ? fmt::format("{:.17g}", get_number(params, spec)) : get_text(params, spec)));
  }
  return settings;
}

double clock_s() { return static_cast<double>(now_ns()) * 1e-9; }

}  // namespace

ControlRun::ControlRun(const Options& options, const Backend& backend)
    : Controlled(state_, commands_),
      options_(options),
      backend_(backend),
      presets_(share_folder() / "assets" / "presets", own_presets_folder()),
      control_(options.control, *this, control_methods()) {
  state_.marks = marks_of(options);
}

void ControlRun::begin(const Stream& stream) {
  stream_.emplace(stream);
  follow_source(stream.params);
}

void ControlRun::end() {
  if (goes_on()) return;
  control_.quit();
  control_.look();  // tells the programs
}

void ControlRun::follow_source(const ImagingParams& params) {
  const SourceInfo& info = stream_->opened.info;
  state_.source = info;
  state_.params = params;
  state_.defaults = default_params(*info.acquisition);
  state_.stream = stream_->session.stream();
  state_.facts.given = stream_->opened.facts;
  state_.presets.list = preset_views(presets_, params, info.acquisition.get());
  history_.begin(undoable());
}

void ControlRun::wait(std::chrono::milliseconds most) {
  if (const AcquisitionPtr& now = stream_->opened.info.acquisition; now != state_.source.acquisition)
    follow_source(given_params(options_, default_params(*now), *now));  // a scanner's new description
  (void)control_.wait(static_cast<int>(most.count()));
  (void)stream_->live.images.take();
  look_at_stream();
  take_opened();
  control_.look();
  for (const AnyCommand& command : commands_.take()) {
    try {
      carry_out(command);
    } catch (const std::exception& error) {
      say_error(error.what());
    }
  }
  observe();
}

void ControlRun::say_error(const std::string& text) {
  state_.say(Severity::error, text);
  print_error("echoloop: {}\n", text);
}

void ControlRun::look_at_stream() {
  constexpr std::int64_t kApart_ns = 100'000'000;
  Session& session = stream_->session;
  state_.numbers.counts = session.counts();
  if (now_ns() - counted_ns_ < kApart_ns) return;
  counted_ns_ = now_ns();
  if (LiveSource* const live = stream_->opened.source->live()) state_.scanner = live->status();
  stats_.update(state_, session, stream_->trace, 0);
  update_run_state(state_, session, {.on_gpu = backend_.name() == "CUDA", .device_lost = !backend_.usable()});
  if (const std::string refusal = session.take_refusal(); !refusal.empty()) say_error(refusal);
}

void ControlRun::carry_out(const AnyCommand& given) {
  using namespace command;
  Session& session = stream_->session;
  const auto stream_changed = [&] {
    const StreamSettings wanted = std::exchange(state_.stream, session.stream());
    session.begin_stream(wanted);
    state_.stream = wanted;
  };
  const Acts acts{
      [&](const ParamsChanged&) { session.set_params(state_.params); },
      [&](const StreamChanged&) { stream_changed(); },
      [&](const AutoReference&) { session.measure_reference(); },
      [&](const ResetLatencies&) { stream_->trace.forget_latencies(); },
      [&](const OpenPhantom& c) { opener_.open("sim:" + c.text); },
      [&](const OpenFile& c) { opener_.open(c.file.string()); },
      [&](const OpenScanner& c) { opener_.open(c.address); },
      [&](const FactsChanged&) { opener_.open(named(), state_.facts.given); },
      [&](const Cancel&) { opener_.cancel(); },
      [&](const Restart&) { go_on_with(stream_->opened); },
      [&](const command::Preset& c) { load_preset(c.order.index); },
      [&](const Say& c) { state_.say(Severity::info, c.text); },
      [&](const DismissMessage& c) { state_.notices.messages.dismiss(c.index); },
      [](const auto&) {},  // of a window: refused before
  };
  std::visit(acts, given);
}

void ControlRun::load_preset(int index) {
  const PresetItem& item = presets_.items().at(static_cast<std::size_t>(index));
  const ImagingParams wanted = apply_preset(item.preset, state_.params, *state_.source.acquisition);
  check_params(*state_.source.acquisition, wanted);
  observe();
  state_.params = wanted;
  stream_->session.set_params(wanted);
  record({.label = "preset \"" + item.preset.name + "\"", .joint = {}});
}

void ControlRun::take_opened() {
  std::optional<SourceOpener::Result> result = opener_.take();
  if (!result) return;
  try {
    if (result->error != nullptr) std::rethrow_exception(result->error);
    go_on_with(*result->opened);
  } catch (const std::exception& error) {
    state_.facts.given = stream_->opened.facts;
    say_error(error.what());
  }
}

// Keeps the changes of parameters that fit the source.
void ControlRun::go_on_with(const OpenedSource& opened) {
  const Acquisition& acquisition = *opened.info.acquisition;
  Options options = options_;
  options.source = opened.name;
  options.facts = opened.facts;
  options.session.reset();
  const auto check = [&] {
    check_params(acquisition, given_params(options, default_params(acquisition), acquisition));
  };
  const std::vector<std::string> settings = options.settings;
  try {
    for (std::string& one : settings_of_params(state_.params, &stream_->params))
      options.settings.push_back(std::move(one));
    check();
  } catch (const Error&) {
    options.settings = settings;
    check();
  }
  next_ = Next{opened, std::move(options)};
}

bool ControlRun::take_next(Options& options, OpenedSource& source) {
  if (!goes_on()) return false;
  options_ = options = next_->options;
  source = std::move(next_->opened);
  next_.reset();
  return true;
}

std::string_view ControlRun::why_one_source() const {
  return names_output(options_.files) ? "the files of this run are of one source" : "";
}

std::vector<float> ControlRun::levels() const {
  const auto host = image().host();
  return {host.begin(), host.end()};
}

Measured ControlRun::measured() const {
  return image().number == 0 ? Measured{} : measure_pixels(image(), state_.marks);
}

nlohmann::json ControlRun::report() const {
  const double seconds = static_cast<double>(now_ns() - stream_->session.started_ns()) * 1e-9;
  return make_report(backend_, stream_->session, named(), state_.params, stream_->trace, {.seconds = seconds});
}

SavedSession ControlRun::session() const {
  SavedSession now{.source = named(),
                   .facts = stream_->opened.facts,
                   .description = opened_description(state_.source.acquisition),
                   .settings = settings_of_params(state_.params, nullptr),
                   .stream = state_.stream,
                   .marks = state_.marks,
                   .pan_zoom = {},
                   .layout = {},
                   .frame = image().stamp.source_index};
  if (image().number != 0)
    now.held_reference_db = image().params.level.reference_db - transmit_level_db(image().params, *image().acquisition);
  return now;
}

void ControlRun::observe() { history_.observe(undoable(), DragState::free, clock_s()); }

void ControlRun::record(const RemoteEdit& by) { history_.record(undoable(), clock_s(), by); }

std::string ControlRun::apply_history(HistoryAct act) {
  observe();
  std::string text = act == HistoryAct::undo ? history_.undo_text() : history_.redo_text();
  const std::optional<Undoable> to = act == HistoryAct::undo ? history_.undo() : history_.redo();
  if (!to) return {};
  if (state_.params != to->params) send(command::ParamsChanged{});
  state_.params = to->params;
  state_.marks.list = to->marks;
  return text;
}

nlohmann::json ControlRun::act(const ControlCall& /*call*/, std::string_view method) {
  throw ControlRefusal(kNotNow, std::string(method), "no window", "a run in a window");
}

}  // namespace echoloop
