#include "app/window/window_control.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "app/image_files.h"
#include "app/lesson.h"
#include "app/outputs/measured_values.h"
#include "app/outputs/report.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/export.h"
#include "version.h"

namespace echoloop {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

enum ControlCode : int {
  kNoJson = -32700,
  kNoRequest = -32600,
  kNoMethod = -32601,
  kParams = -32602,
  kNotNow = -32000,
  kTimeout = -32003
};

// Refusal of a request that is not about its parameters.
class Refusal : public Error {
 public:
  Refusal(int code, const std::string& what, const std::string& found, const std::string& accepted)
      : Error(what, found, accepted), code(code) {}
  int code;
};

template <class T>
T required(const json& params, const char* key, const char* accepted) {
  if (!params.contains(key)) throw Error(key, "missing", accepted);
  try {
    return params[key].get<T>();
  } catch (const json::exception&) {
    throw invalid_value(key, params[key].dump(), accepted);
  }
}

template <class Choice, std::size_t n>
Choice choice(const json& params, const char* key, const std::array<std::string_view, n>& names) {
  const auto word = required<std::string>(params, key, "a word");
  std::string accepted;
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == word) return static_cast<Choice>(i);
    accepted += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw invalid_value(key, word, accepted);
}

constexpr std::array<std::string_view, 10> kSaved = {"image", "levels",  "data",         "iq",      "iq_range",
                                                     "video", "timings", "measurements", "session", "description"};
constexpr std::array<std::string_view, 2> kSides = {"A", "B"};
constexpr std::array<std::string_view, 3> kSenderActs = {"accept", "disconnect", "phantom"};
constexpr std::array<std::string_view, 3> kSoundSpeedActs = {"find", "cancel", "close"};
constexpr std::array<std::string_view, 5> kLessonActs = {"set_up", "show", "next", "back", "close"};

fs::path absolute_path(const json& params) {
  const fs::path path = required<std::string>(params, "path", "an absolute path");
  if (!path.is_absolute()) throw invalid_value("path", path.string(), "an absolute path");
  return path;
}

ImagingParams without_level(ImagingParams params) {
  params.level = {};
  params.display = {};
  return without_analyses(params);
}

int depth_of(const std::string& line) {
  int depth = 0, most = 0;
  bool text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (text && c == '\\') ++i;
    if (c == '"') text = !text;
    if (text) continue;
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return most;
}

}  // namespace

WindowControl::WindowControl(const std::string& name, Parts parts)
    : parts_(parts), socket_(name), known_(parts.state.params) {}

bool WindowControl::look(const Viewer& viewer) {
  viewer_ = &viewer;
  if (known_ != parts_.state.params) {
    known_ = parts_.state.params;
    ++revision_;
  }
  std::erase_if(waits_, [this](const Wait& wait) { return !socket_.has(wait.client); });
  answer_waits();
  for (const ControlLine& line : socket_.read()) answer(line.client, line.text);
  for (const std::string& place : socket_.take_arrived())
    parts_.state.say(Severity::info, "A program controls the window (" + place + ").");
  socket_.send();
  return quits_;
}

void WindowControl::answer(std::uint64_t client, const std::string& line) {
  constexpr int kMostDepth = 64;
  json reply = {{"jsonrpc", "2.0"}, {"id", nullptr}};
  bool answers = true;
  const auto refuse = [&](int code, const std::string& message) {
    reply["error"] = {{"code", code}, {"message", message}};
    if (answers) socket_.put(client, reply);
  };
  const json request = depth_of(line) > kMostDepth ? json(json::value_t::discarded) : json::parse(line, nullptr, false);
  if (request.is_discarded()) return refuse(kNoJson, "no JSON of at most 64 levels in one line");
  const bool has_id = request.is_object() && request.contains("id");
  if (has_id && (request["id"].is_number_integer() || request["id"].is_string())) reply["id"] = request["id"];
  const bool valid = request.is_object() && request.value("jsonrpc", json()) == "2.0" && request.contains("method") &&
                     request["method"].is_string() && (!has_id || !reply["id"].is_null());
  if (!valid) return refuse(kNoRequest, "no request; expected {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": NAME}");
  answers = has_id;  // others are notifications
  const auto name = request["method"].get<std::string>();
  const auto method = std::ranges::find(methods(), name, &Method::name);
  if (method == methods().end()) return refuse(kNoMethod, "unknown method '" + name + "'; describe lists all");
  const json params = request.value("params", json::object());
  if (!params.is_object()) return refuse(kParams, "params: no object; expected parameters by name");
  client_ = client;
  id_ = reply["id"];
  try {
    if (method->files && refused_in_kiosk(parts_.state))
      throw Refusal(kNotNow, name, "a kiosk", "a window without --kiosk");
    json result = (this->*method->run)(params);
    if (result.is_discarded() || !has_id) return;  // answered later; a notification
    reply["result"] = std::move(result);
    socket_.put(client, reply);
  } catch (const Refusal& error) {
    refuse(error.code, error.what());
  } catch (const std::exception& error) {
    refuse(kParams, error.what());
  }
}

// Levels, display and analyses do not decide: they change no pixel.
bool WindowControl::is_settled(const Wait& wait) const {
  const Image& image = viewer_->shown_image();
  const bool same = image.number > 0 && without_level(image.params) == without_level(parts_.state.params);
  return same && (image.number > wait.after || parts_.state.image.work.since_ns == 0);
}

void WindowControl::answer_waits() {
  std::erase_if(waits_, [this](const Wait& wait) {
    const bool settled = is_settled(wait);
    if (!settled && now_ns() < wait.end_ns) return false;
    json reply = {{"jsonrpc", "2.0"}, {"id", wait.id}};
    if (settled) {
      const Image& image = viewer_->shown_image();
      reply["result"] = {{"revision", revision_}, {"sequence", image.stamp.sequence}, {"number", image.number}};
    } else {
      reply["error"] = {{"code", kTimeout}, {"message", "no image with these parameters within the time"}};
    }
    socket_.put(wait.client, reply);
    return true;
  });
}

template <class Command>
json WindowControl::plain(const json& /*params*/) {
  parts_.commands.send(Command{});
  return json::object();
}

json WindowControl::hello(const json& /*params*/) {
  return {{"version", kVersion},
          {"protocol", 1},
          {"pid", ::getpid()},
          {"mode", "window"},
          {"device", parts_.engine.backend->device()},
          {"source", parts_.in_use.named},
          {"kiosk", !why_no_files(parts_.state).empty()}};
}

json WindowControl::describe(const json& /*params*/) {
  json list = json::array(), parameters = json::array();
  for (const Method& method : methods())
    list.push_back({{"name", std::string(method.name)},
                    {"params", std::string(method.params)},
                    {"help", std::string(method.help)}});
  for (const ParamSpec& spec : param_table())
    parameters.push_back({{"key", std::string(spec.key)},
                          {"label", std::string(spec.label)},
                          {"min", spec.min},
                          {"max", spec.max},
                          {"help", std::string(spec.help)}});
  return {{"methods", list}, {"parameters", parameters}};
}

json WindowControl::get(const json& params) {
  json values = params_json(parts_.state.params);
  if (params.contains("keys")) {
    json some = json::object();
    for (const auto& key : required<std::vector<std::string>>(params, "keys", "names of parameters"))
      some[key] = values[std::string(param(key).key)];
    values = std::move(some);
  }
  return {{"values", values}, {"revision", revision_}};
}

json WindowControl::set(const json& params) {
  const json values = required<json>(params, "values", "an object");
  if (!values.is_object()) throw invalid_value("values", values.dump(), "an object");
  if (params.contains("if_revision") && required<std::uint64_t>(params, "if_revision", "a number") != revision_)
    throw Refusal(-32002, "if_revision", params["if_revision"].dump(), std::to_string(revision_));
  LessonState changes;
  for (const auto& [key, value] : values.items())
    changes.settings.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  const ImagingParams next = changes.applied(parts_.state.params);
  if (parts_.state.source.acquisition != nullptr) check_params(*parts_.state.source.acquisition, next);
  json changed = json::array();
  for (const ParamSpec& spec : param_table())
    if (get_number(next, spec) != get_number(parts_.state.params, spec)) changed.push_back(std::string(spec.key));
  if (!changed.empty()) {
    parts_.state.params = known_ = next;
    ++revision_;
    parts_.commands.send(command::ParamsChanged{});
  }
  return {{"revision", revision_}, {"changed", changed}};
}

json WindowControl::stream_get(const json& /*params*/) {
  return session_json(session_now(parts_.in_use, parts_.state, *viewer_, SavedMoment::live), {})["stream"];
}

json WindowControl::stream_set(const json& params) {
  LessonState changes;
  changes.stream = required<json>(params, "values", "an object");
  parts_.state.stream = changes.applied(parts_.state.stream);
  parts_.commands.send(command::StreamChanged{});
  return json::object();
}

json WindowControl::open(const json& params) {
  parts_.commands.send(command::OpenFile{absolute_path(params)});
  return json::object();
}

json WindowControl::open_phantom(const json& params) {
  parts_.commands.send(command::OpenPhantom{required<std::string>(params, "source", "text after sim:")});
  return json::object();
}

json WindowControl::open_scanner(const json& params) {
  parts_.commands.send(command::OpenScanner{required<std::string>(params, "address", "live:NAME")});
  return json::object();
}

json WindowControl::open_lesson(const json& params) {
  parts_.commands.send(command::StartLesson{absolute_path(params)});
  return json::object();
}

json WindowControl::compare(const json& params) {
  const auto side = choice<CompareSide>(params, "side", kSides);
  const bool own = !params.contains("path") && side == CompareSide::a;
  parts_.commands.send(command::CompareWith{side, own ? fs::path() : absolute_path(params)});
  return json::object();
}

json WindowControl::preset_list(const json& /*params*/) {
  json list = json::array();
  for (const PresetView& preset : parts_.state.presets.list)
    list.push_back({{"name", preset.name}, {"own", preset.own}, {"fits", preset.fits}});
  return list;
}

json WindowControl::preset_apply(const json& params) {
  const auto name = required<std::string>(params, "name", "a name of preset_list");
  const auto& list = parts_.state.presets.list;
  const auto at = std::ranges::find(list, name, &PresetView::name);
  if (at == list.end()) throw invalid_value("name", name, "a name of preset_list");
  parts_.commands.send(command::Preset{{PresetCommand::load, static_cast<int>(at - list.begin()), {}}});
  return json::object();
}

json WindowControl::save(const json& params) {
  parts_.commands.send(command::Save{choice<SaveWhat>(params, "what", kSaved)});
  return json::object();
}

json WindowControl::say(const json& params) {
  parts_.commands.send(command::Say{plain_text(required<std::string>(params, "text", "a line"))});
  return json::object();
}

json WindowControl::dismiss(const json& params) {
  parts_.commands.send(command::DismissMessage{required<std::size_t>(params, "index", "a number of messages")});
  return json::object();
}

json WindowControl::sender(const json& params) {
  parts_.commands.send(command::Sender{choice<SenderCommand>(params, "do", kSenderActs)});
  return json::object();
}

json WindowControl::sound_speed(const json& params) {
  parts_.commands.send(command::SoundSpeed{choice<SoundSpeedAct>(params, "do", kSoundSpeedActs)});
  return json::object();
}

json WindowControl::lesson_step(const json& params) {
  parts_.commands.send(command::LessonStep{choice<LessonAct>(params, "do", kLessonActs)});
  return json::object();
}

json WindowControl::marks_get(const json& /*params*/) { return marks_json(parts_.state.marks); }

json WindowControl::marks_set(const json& params) {
  parts_.state.marks.list = marks_from_json(required<json>(params, "marks", "a list"), "marks").list;
  return json::object();
}

json WindowControl::measurements(const json& /*params*/) {
  const Measured& measured = parts_.state.measured;
  if (measured.image.number == 0) throw Refusal(kNotNow, "measurements", "nothing measured yet", "an image");
  json values = measurements_json(measured, parts_.state.marks);
  values["sequence"] = measured.image.stamp.sequence;
  return values;
}

json WindowControl::image(const json& params) { return write_shown(params, ".npy"); }

json WindowControl::png(const json& params) { return write_shown(params, ".png"); }

json WindowControl::write_shown(const json& params, std::string_view ending) {
  const fs::path path = absolute_path(params);
  if (path.extension() != ending) throw invalid_value("path", path.string(), "a name ending in " + std::string(ending));
  std::error_code error;
  if (fs::exists(path, error) && !params.value("overwrite", false))
    throw Error(path.string(), "an existing file", "another name, or overwrite");
  Image image = viewer_->shown_image();
  if (image.number == 0) throw Refusal(kNotNow, "image", "no image yet", "an image on screen");
  std::vector<float> db = viewer_->shown_db();
  image.host_db = db.data();
  if (ending == ".png")
    write_picture(path, image, parts_.state.params, parts_.state.marks);
  else
    write_image_npy(path, image, image_json(*parts_.engine.backend, parts_.in_use.named, image));
  return {{"path", path.string()}, {"sequence", image.stamp.sequence}};
}

json WindowControl::counts(const json& /*params*/) {
  const StreamNumbers& n = parts_.state.numbers;
  return {{"produced", n.counts.produced},
          {"processed", n.counts.processed},
          {"dropped", n.counts.dropped},
          {"shown", n.shown},
          {"errors", n.errors},
          {"processed_fps", n.processed_fps},
          {"latency_p50_ms", n.latency.recent.p50_ms}};
}

json WindowControl::messages(const json& /*params*/) {
  constexpr std::array<const char*, 3> kSeverities = {"info", "warning", "error"};
  json list = json::array();
  for (const Message& message : parts_.state.notices.messages.list())
    list.push_back({{"severity", kSeverities[static_cast<std::size_t>(message.severity)]}, {"text", message.text}});
  return list;
}

json WindowControl::wait(const json& params) {
  const double timeout_s = params.value("timeout_s", 10.0);
  if (!(timeout_s >= 0.0 && timeout_s <= 3600.0))
    throw out_of_range("timeout_s", params["timeout_s"].dump(), "0 to 3600");
  Wait wait{.client = client_,
            .id = id_,
            .after = viewer_->shown_image().number,
            .end_ns = now_ns() + static_cast<std::int64_t>(timeout_s * 1e9)};
  waits_.push_back(std::move(wait));
  return json(json::value_t::discarded);
}

json WindowControl::quit(const json& /*params*/) {
  quits_ = true;
  return json::object();
}

std::span<const WindowControl::Method> WindowControl::methods() {
  using C = WindowControl;
  static const std::vector<Method> kMethods = {
      {"hello", "", "Version, process, device and source", false, &C::hello},
      {"describe", "", "All methods and parameters", false, &C::describe},
      {"get", "keys?: [name]", "Parameters and their revision", false, &C::get},
      {"set", "values: {name: value}, if_revision?",
       "Changes parameters, all or none; as one step of undo. Values out of range are refused", false, &C::set},
      {"reset", "", "Restores the initial value of every setting", false, &C::plain<command::Reset>},
      {"undo_reset", "", "Undoes the reset", false, &C::plain<command::UndoReset>},
      {"auto_reference", "", "Sets 0 dB to the brightest pixel of the next frame", false,
       &C::plain<command::AutoReference>},
      {"wait", "timeout_s?", "Answers with the first image made with the present parameters", false, &C::wait},
      {"stream_get", "", "Settings of the stream", false, &C::stream_get},
      {"stream_set", "values: {name: value}", "Changes settings of the stream", false, &C::stream_set},
      {"open", "path", "Opens a recording", true, &C::open},
      {"open_phantom", "source: text after sim:", "Opens a phantom", false, &C::open_phantom},
      {"open_scanner", "address", "Waits for a sender at the address", true, &C::open_scanner},
      {"start_lesson", "path", "Opens a lesson", true, &C::open_lesson},
      {"lesson_step", "do: set_up, show, next, back or close", "A step of the lesson", false, &C::lesson_step},
      {"compare_with", "side: A or B, path?", "Opens a recording as a side of the comparison", true, &C::compare},
      {"swap_recordings", "", "Exchanges the recordings of a comparison", false, &C::plain<command::SwapRecordings>},
      {"cancel", "", "Cancels opening, or a video", false, &C::plain<command::Cancel>},
      {"restart", "", "Starts the stream again after a fault", false, &C::plain<command::Restart>},
      {"use_cpu", "", "Continues on the CPU after a device fault", false, &C::plain<command::UseCpu>},
      {"sender", "do: accept, disconnect or phantom", "Accepts, or disconnects, a sender", false, &C::sender},
      {"toggle_freeze", "", "Freezes the image, or continues", false, &C::plain<command::ToggleFreeze>},
      {"preset", "name", "Loads a preset", false, &C::preset_apply},
      {"preset_list", "", "Names of the presets", false, &C::preset_list},
      {"save", "what: image, levels, data, iq, iq_range, video, timings, measurements, session or description",
       "Saves under a new name in the folder of saved files", true, &C::save},
      {"save_timings", "", "Saves the timed spans as a Chrome trace", true, &C::plain<command::SaveTimings>},
      {"toggle_record", "", "Starts, or ends, recording raw frames", true, &C::plain<command::ToggleRecord>},
      {"sound_speed", "do: find, cancel or close", "Search for the speed of sound", false, &C::sound_speed},
      {"reset_latencies", "", "Forgets latency percentiles and maximum", false, &C::plain<command::ResetLatencies>},
      {"say", "text", "Message line", false, &C::say},
      {"messages", "", "Messages of the run, newest first", false, &C::messages},
      {"dismiss_message", "index", "Dismisses a message", false, &C::dismiss},
      {"marks_get", "", "Marks as in --marks", false, &C::marks_get},
      {"marks_set", "marks: [...]", "Replaces the marks", false, &C::marks_set},
      {"measurements", "", "Numbers of the Measure panel", false, &C::measurements},
      {"image", "path, overwrite?", "Writes the levels of the image on screen as --image-out does", true, &C::image},
      {"png", "path, overwrite?", "Writes the image on screen with its marks, as --png does", true, &C::png},
      {"counts", "", "Frames produced, processed, dropped, shown; rates", false, &C::counts},
      {"quit", "", "Ends the program", true, &C::quit},
  };
  return kMethods;
}

std::span<const WindowControl::NotRemote> WindowControl::not_remote() {
  static constexpr auto kNotRemote = std::to_array<NotRemote>({
      {"params_changed", "set sends it"},
      {"stream_changed", "stream_set sends it"},
      {"cine_changed", "the row of playback is for hands"},
      {"facts_changed", "not available yet"},
      {"open_file", "open sends it"},
      {"open_method", "a method is code, which no request compiles"},
      {"open_lesson", "the menu's names; start_lesson takes a file"},
      {"open_network_scanner", "opens a port to other machines: only the user does"},
      {"open_manual", "the desktop's browser"},
      {"import", "the import assistant is a dialog"},
      {"doubts", "the doubts card is a dialog"},
      {"answer_sandbox", "a question of safety: only the user answers"},
      {"save_table", "the panel holds the table"},
      {"hint", "about a key"},
  });
  return kNotRemote;
}

}  // namespace echoloop
