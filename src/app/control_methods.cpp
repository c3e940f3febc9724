#include "app/control_methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/control_params.h"
#include "app/control_results.h"
#include "app/lesson.h"
#include "app/outputs/comparison.h"
#include "app/outputs/report.h"
#include "backend/plan.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/export.h"
#include "source/live/live_listener.h"
#include "version.h"

namespace echoloop {

namespace {

using json = nlohmann::json;
using Call = ControlCall;

constexpr std::array<std::string_view, 2> kSides = {"A", "B"};
constexpr std::array<std::string_view, 3> kSenderActs = {"accept", "disconnect", "phantom"};
constexpr std::array<std::string_view, 5> kLessonActs = {"set_up", "show", "next", "back", "close"};

// Returns KEY=VALUE of an object.
std::vector<std::string> settings_of_values(const json& params) {
  const auto values = required<json>(params, "values", "an object");
  if (!values.is_object()) throw invalid_value("values", values.dump(), "an object");
  std::vector<std::string> settings;
  for (const auto& [key, value] : values.items())
    settings.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  return settings;
}

template <class Command>
json plain(const Call& call) {  // a command without parameters
  call.run.send(Command{});
  return json::object();
}

json hello(const Call& call) {
  if (call.params.contains("client"))
    call.control.name_client(call.client, plain_text(required<std::string>(call.params, "client", "a name")));
  return {{"version", kVersion},
          {"protocol", 1},
          {"pid", ::getpid()},
          {"mode", std::string(call.run.mode())},
          {"device", call.run.backend().device()},
          {"source", call.run.named()},
          {"kiosk", !why_no_files(call.run.state()).empty()}};
}

json describe(const Call& /*call*/) {
  json list = json::array(), parameters = json::array();
  for (const ControlMethod& method : control_methods()) {
    json needs = json::array();
    if (method.needs.files) needs.push_back("files");
    if (!method.needs.no_headless.empty()) needs.push_back("window");
    list.push_back({{"name", std::string(method.name)},
                    {"params", std::string(method.params)},
                    {"result", std::string(method.result)},
                    {"help", std::string(method.help)},
                    {"needs", std::move(needs)}});
  }
  for (const ParamSpec& spec : param_table()) {
    json choices = json::array();
    for (const auto& choice : spec.choices) choices.push_back(std::string(choice.name));
    parameters.push_back({{"key", std::string(spec.key)},
                          {"label", std::string(spec.label)},
                          {"unit", std::string(spec.unit)},
                          {"min", spec.min},
                          {"max", spec.max},
                          {"choices", std::move(choices)},
                          {"help", std::string(spec.help)}});
  }
  return {{"methods", list}, {"parameters", parameters}, {"events", kControlEvents}, {"kinds", saved_kinds()}};
}

json listen(const Call& call, const std::function<void(std::set<std::string>&, const std::string&)>& change) {
  std::set<std::string>& events = call.control.events_of(call.client);
  const auto asked = required<std::vector<std::string>>(call.params, "events", "a list of events of describe");
  for (const std::string& kind : asked)
    if (std::ranges::find(kControlEvents, kind) == kControlEvents.end())
      throw invalid_value("events", kind, fmt::format("{}", fmt::join(kControlEvents, ", ")));
  for (const std::string& kind : asked) change(events, kind);
  return {{"events", events}};
}

json subscribe(const Call& call) {
  return listen(call, [](auto& events, const std::string& kind) { events.insert(kind); });
}

json unsubscribe(const Call& call) {
  return listen(call, [](auto& events, const std::string& kind) { events.erase(kind); });
}

json get(const Call& call) {
  json values = params_json(call.run.state().params);
  if (call.params.contains("keys")) {
    json some = json::object();
    for (const auto& key : required<std::vector<std::string>>(call.params, "keys", "names of parameters"))
      some[key] = values[std::string(param(key).key)];
    values = std::move(some);
  }
  return {{"values", values}, {"revision", call.control.revision()}};
}

json set(const Call& call) {
  WindowState& state = call.run.state();
  const std::uint64_t revision = call.control.revision();
  if (call.params.contains("if_revision") && whole_of(call.params, "if_revision", 0, kAnyWhole) != revision)
    throw ControlRefusal(kOtherRevision, "if_revision", call.params["if_revision"].dump(), std::to_string(revision));
  const LessonState changes{.stream = {}, .settings = settings_of_values(call.params)};
  const auto label = optional_of<std::string>(call.params, "label", "", "a text");
  const ImagingParams next = changes.applied(state.params);
  if (state.source.acquisition != nullptr) check_params(*state.source.acquisition, next);
  json changed = json::array();
  for (const ParamSpec& spec : param_table())
    if (get_number(next, spec) != get_number(state.params, spec)) changed.push_back(std::string(spec.key));
  if (next != state.params) {
    std::string keys;  // changes of the same ones are joined, as a drag's
    for (const auto& item : call.params["values"].items()) keys += item.key() + " ";
    call.control.edit(call, {plain_text(label), label + "\n" + keys}, [&] { state.params = next; });
    call.run.send(command::ParamsChanged{});
  }
  return {{"revision", call.control.revision()}, {"changed", changed}};
}

template <HistoryAct kAct>
json history(const Call& call) {
  const std::uint64_t steps = call.params.contains("steps") ? whole_of(call.params, "steps", 1, 200) : 1;
  std::string text;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::string step = call.control.apply_history(call, kAct);
    if (step.empty()) break;
    text += (text.empty() ? "" : "; ") + step;
  }
  if (text.empty())
    throw ControlRefusal(kNotNow, kAct == HistoryAct::undo ? "undo" : "redo", "no step", "an earlier change");
  return {{"revision", call.control.revision()}, {"text", text}};
}

json stream_get(const Call& call) {
  if (call.run.named().empty()) throw ControlRefusal(kNotNow, "stream_get", "no source", "an open source");
  return session_json(call.run.session(), {})["stream"];
}

json stream_set(const Call& call) {
  LessonState changes;
  changes.stream = required<json>(call.params, "values", "an object");
  call.run.state().stream = changes.applied(call.run.state().stream);
  call.run.send(command::StreamChanged{});
  return json::object();
}

json pause_source(const Call& call) {
  call.run.state().stream.paused = optional_of(call.params, "paused", true, "true or false");
  call.run.send(command::StreamChanged{});
  return json::object();
}

OpenedSource source_of(const Call& call) {
  OpenedSource opened = call.run.opened();
  if (opened.source == nullptr) throw ControlRefusal(kNotNow, "source", "none", "an open source");
  return opened;
}

json facts_get(const Call& call) {
  const OpenedSource opened = source_of(call);
  return {{"given", given_facts_json(opened.facts)}, {"facts", facts_json(*opened.info.acquisition)}};
}

// Executes a command that ends the stream.
template <class Command>
json replace_source(const Call& call, Command command) {
  if (const std::string_view why = call.run.why_one_source(); !why.empty())
    throw ControlRefusal(kNotNow, "another source", std::string(why), "a run without such files");
  call.run.send(std::move(command));
  return json::object();
}

json facts_set(const Call& call) {
  const OpenedSource opened = source_of(call);
  if (!opened.info.phantom.empty() || opened.info.live)
    throw ControlRefusal(kNotNow, "facts_set", opened.name, "a recording, whose file may lack them");
  std::vector<std::string> settings = settings_of_values(call.params);
  Facts facts = take_facts(settings);
  if (!settings.empty()) throw invalid_value("values", settings.front(), "facts of facts_get");
  call.run.state().facts.given = std::move(facts);
  return replace_source(call, command::FactsChanged{});
}

json restart(const Call& call) { return replace_source(call, command::Restart{}); }

json open_scanner(const Call& call) {
  return replace_source(call, command::OpenScanner{required<std::string>(call.params, "address", "live:NAME")});
}

json open(const Call& call) {
  constexpr std::string_view kPhantom = "sim:";
  if (call.params.contains("as")) {
    if (call.run.mode() == "headless") throw ControlRefusal(kNotNow, "as", "no window", "a comparison in a window");
    call.run.send(command::CompareWith{choice_of<CompareSide>(call.params, "as", kSides), absolute_path(call.params)});
    return json::object();
  }
  if (!call.params.contains("source")) return replace_source(call, command::OpenFile{absolute_path(call.params)});
  const auto source = required<std::string>(call.params, "source", "sim:NAME or live:NAME");
  if (source.starts_with(kPhantom)) return replace_source(call, command::OpenPhantom{source.substr(kPhantom.size())});
  if (source.starts_with(kLivePrefix)) return replace_source(call, command::OpenScanner{source});
  throw invalid_value("source", source, "sim:NAME or live:NAME, or path in place of source");
}

json open_lesson(const Call& call) {
  call.run.send(command::StartLesson{absolute_path(call.params)});
  return json::object();
}

json info(const Call& call) {
  const std::vector<Doubt>* const doubts = call.run.doubts();
  return json::parse(describe_source_json(source_of(call), doubts != nullptr ? *doubts : std::vector<Doubt>()));
}

json preset_list(const Call& call) {
  json list = json::array();
  for (const PresetView& preset : call.run.state().presets.list)
    list.push_back({{"name", preset.name}, {"own", preset.own}, {"fits", preset.fits}});
  return list;
}

json preset_order(const Call& call, PresetCommand act) {
  const auto name = required<std::string>(call.params, "name", "a name of preset_list");
  const auto& list = call.run.state().presets.list;
  const auto at = std::ranges::find(list, name, &PresetView::name);
  if (at == list.end() || (act == PresetCommand::remove && !at->own))
    throw invalid_value("name", name,
                        act == PresetCommand::remove ? "an own preset of preset_list" : "a name of preset_list");
  call.run.send(command::Preset{{act, static_cast<int>(at - list.begin()), {}}});
  return json::object();
}

json preset_apply(const Call& call) { return preset_order(call, PresetCommand::load); }
json preset_remove(const Call& call) { return preset_order(call, PresetCommand::remove); }

json preset_save(const Call& call) {
  const auto name = plain_text(required<std::string>(call.params, "name", "a new name"));
  if (name.empty() ||
      std::ranges::find(call.run.state().presets.list, name, &PresetView::name) != call.run.state().presets.list.end())
    throw invalid_value("name", name, "a new name");
  call.run.send(command::Preset{{PresetCommand::save_as, -1, name}});
  return json::object();
}

json message(const Call& call) {
  call.run.send(command::Say{plain_text(required<std::string>(call.params, "text", "a line"))});
  return json::object();
}

json messages(const Call& call) {
  constexpr std::array<const char*, 3> kSeverities = {"info", "warning", "error"};
  json list = json::array();
  for (const Message& m : call.run.state().notices.messages.list())
    list.push_back({{"severity", kSeverities[static_cast<std::size_t>(m.severity)]},
                    {"text", m.text},
                    {"resolved", m.stay == Stay::resolved}});
  return list;
}

json dismiss(const Call& call) {
  call.run.send(command::DismissMessage{whole_of(call.params, "index", 0, kAnyWhole)});
  return json::object();
}

json sender(const Call& call) {
  call.run.send(command::Sender{choice_of<SenderCommand>(call.params, "do", kSenderActs)});
  return json::object();
}

json lesson_step(const Call& call) {
  call.run.send(command::LessonStep{choice_of<LessonAct>(call.params, "do", kLessonActs)});
  return json::object();
}

json quit(const Call& call) {
  const bool saves = optional_of(call.params, "save", false, "true or false");
  if (saves && call.run.mode() == "headless")
    throw ControlRefusal(kNotNow, "save", "a run without a window", "save with a path before quit");
  if (saves) call.run.send(command::Save{SaveWhat::session});
  call.control.quit();
  return json::object();
}

}  // namespace
std::span<const ControlMethod> control_methods() {
  constexpr ControlNeeds kFree = {}, kFiles = {true}, kWindow = {false, "no window"}, kBoth = {true, "no window"},
                         kHistory = {false, "no history of frames"};
  // clang-format off
  static const std::vector<ControlMethod> kMethods = [&] {
    std::vector<ControlMethod> rows = {
      {"hello", "client?: name", "version, protocol, pid, mode, device, source, kiosk",
       "Version, process, device and source; events name the client so", kFree, hello},
      {"describe", "", "methods, parameters, events, kinds", "All that can be requested", kFree, describe},
      {"subscribe", "events: [name]", "events", "Sends these events from now on", kFree, subscribe},
      {"unsubscribe", "events: [name]", "events", "Sends these events no more", kFree, unsubscribe},
      {"quit", "save?", "", "Ends the program; save: saves the session first", kFiles, quit},
      {"get", "keys?: [name]", "values, revision", "Parameters and their revision", kFree, get},
      {"set", "values: {name: value}, if_revision?, label?", "revision, changed",
       "Changes parameters, all or none; as one step of undo. Values out of range are refused", kFree, set},
      {"undo", "steps?", "revision, text", "Undoes changes of parameters and marks", kFree, history<HistoryAct::undo>},
      {"redo", "steps?", "revision, text", "Redoes undone changes", kFree, history<HistoryAct::redo>},
      {"reset", "", "", "Restores the initial value of every setting", kWindow, plain<command::Reset>},
      {"undo_reset", "", "", "Undoes the reset", kWindow, plain<command::UndoReset>},
      {"auto_reference", "", "", "0 dB: brightest pixel of the next frame", kFree, plain<command::AutoReference>},
      {"preset_list", "", "list of name, own, fits", "Names of the presets", kFree, preset_list},
      {"preset_apply", "name", "", "Loads a preset", kFree, preset_apply},
      {"preset_save", "name", "", "Saves the parameters as a preset", kBoth, preset_save},
      {"preset_remove", "name", "", "Removes an own preset", kBoth, preset_remove},
      {"stream_get", "", "settings by name", "Settings of the stream", kFree, stream_get},
      {"stream_set", "values: {name: value}", "", "Changes settings of the stream", kFree, stream_set},
      {"facts_get", "", "given, facts", "Facts of the source, and those given by the user", kFree, facts_get},
      {"facts_set", "values: {name: value}", "", "Opens the recording again with these facts", kFree, facts_set},
      {"open", "path or source: sim:NAME or live:NAME, as?: A or B", "", "Opens a source, or a side of a comparison",
       kFiles, open},
      {"open_scanner", "address", "", "Waits for a sender at the address", kFiles, open_scanner},
      {"sender", "do: accept, disconnect or phantom", "", "Accepts, or disconnects, a sender", kWindow, sender},
      {"describe_source", "", "as echoloop info --json", "Probe, transmits, sampling and assumptions", kFree, info},
      {"start_lesson", "path", "", "Opens a lesson", kBoth, open_lesson},
      {"lesson_step", "do: set_up, show, next, back or close", "", "A step of the lesson", kWindow, lesson_step},
      {"compare", "path?, on?", "", "Begins, or ends, a comparison; path: of recording A", kBoth},
      {"swap", "", "", "Exchanges the sides of a comparison", kWindow},
      {"cancel", "", "", "Cancels opening, or a video", kFree, plain<command::Cancel>},
      {"restart", "", "", "Starts the stream again", kFree, restart},
      {"use_cpu", "", "", "Continues on the CPU after a device fault", kWindow, plain<command::UseCpu>},
      {"pause_source", "paused?", "", "Pauses the source, or continues", kFree, pause_source},
      {"freeze", "", "", "Freezes the image", kHistory},
      {"resume", "", "", "Shows live images again", kHistory},
      {"seek", "frame or time_s", "frame", "Shows a history frame: from 0, or seconds before the newest", kHistory},
      {"step", "frames", "frame", "Shows the history frame so many later", kHistory},
      {"loop", "first, last", "", "Frames between which the history is played", kHistory},
      {"speed", "factor: 0.01 to 10", "", "Speed of playback", kHistory},
      {"play", "on?", "", "Plays the history, or stops", kHistory},
      {"message", "text", "", "Message line", kFree, message},
      {"messages", "", "list of severity, text, resolved", "Messages of the run, newest first", kFree, messages},
      {"dismiss_message", "index", "", "Dismisses a message", kFree, dismiss},
      {"screenshot", "path, overwrite?", "path", "Writes the window as a PNG", kBoth},
      {"panel", "name: inspector, m_mode or spectrogram, open?", "", "Opens, or closes, a panel at the image", kWindow},
      {"view", "zoom: 1 to 64 times the fitted image, x_m?, z_m?", "", "Zoom, and the point at the centre", kWindow},
    };
    rows.insert(rows.end(), result_methods().begin(), result_methods().end());
    return rows;
  }();
  // clang-format on
  return kMethods;
}

std::span<const NotRemote> not_remote() {
  static constexpr auto kNotRemote = std::to_array<NotRemote>({
      {"params_changed", "set sends it"},
      {"stream_changed", "stream_set sends it"},
      {"cine_changed", "seek, step, loop, speed, play and compare send it"},
      {"facts_changed", "facts_set sends it"},
      {"open_file", "open sends it"},
      {"open_method", "a method is code, which no request compiles"},
      {"answer_method", "a question of safety: only the user answers"},
      {"turn_output", "outputs_set sends it"},
      {"open_lesson", "the menu's names; start_lesson takes a file"},
      {"open_network_scanner", "opens a port to other machines: only the user does"},
      {"open_manual", "the desktop's browser"},
      {"import", "the import assistant is a dialog"},
      {"answer_sandbox", "a question of safety: only the user answers"},
      {"open_phantom", "open sends it"},
      {"toggle_freeze", "freeze and resume send it"},
      {"toggle_record", "record_start and record_stop send it"},
      {"save_timings", "save sends it"},
      {"compare_with", "compare and open send it"},
      {"swap_recordings", "swap sends it"},
      {"save_table", "the panel holds the table"},
      {"preset", "preset_apply, preset_save and preset_remove send it"},
      {"say", "message sends it"},
      {"sound_speed", "find_sound_speed sends it"},
      {"hint", "about a key"},
  });
  return kNotRemote;
}

}  // namespace echoloop
