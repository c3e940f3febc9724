#include "app/control.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/outputs/measured_values.h"
#include "core/param_table.h"
#include "core/units.h"
#include "history/export.h"

namespace echoloop {
namespace {

using json = nlohmann::json;

constexpr int kNoJson = -32700, kNoRequest = -32600, kNoMethod = -32601, kParams = -32602, kLate = -32003;

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

json fault_json(const std::optional<FaultNotice>& fault) {
  return {{"title", fault ? fault->title : ""}, {"detail", fault ? fault->detail : ""}};
}

json scanner_json(const std::optional<LiveStatus>& scanner) {
  constexpr std::array<const char*, 3> kLinks = {"waiting", "connected", "gone"};
  if (!scanner) return {{"link", "none"}, {"sender", ""}};
  return {{"link", kLinks[static_cast<std::size_t>(scanner->link)]}, {"sender", scanner->sender}};
}

}  // namespace

Control::Control(const std::string& name, Controlled& run, std::span<const ControlMethod> methods)
    : run_(run), methods_(methods), socket_(name) {
  notice("");
}

void Control::look() {
  constexpr int kMostAtOnce = 256;  // so that the run goes on
  notice("viewer");
  socket_.read();
  for (const std::string& place : socket_.take_arrived())
    run_.state().say(Severity::info, "A program controls this " +
                                         std::string(run_.mode() == "window" ? "window" : "run") + " (" + place + ").");
  std::erase_if(clients_, [this](const auto& client) { return socket_.place_of(client.first).empty(); });
  std::erase_if(deferred_, [this](const Deferred& one) { return socket_.place_of(one.client).empty(); });
  for (int i = 0; i < kMostAtOnce; ++i) {
    const std::optional<ControlLine> line = socket_.take();
    if (!line) break;
    answer(*line);
  }
  answer_deferred();
  notice("viewer");
  if (quits_) emit("quit", json::object());
  socket_.send();
}

void Control::answer(const ControlLine& line) {
  constexpr int kMostDepth = 64;
  json reply = {{"jsonrpc", "2.0"}, {"id", nullptr}};
  bool answers = true;
  const auto refuse = [&](int code, const std::string& message) {
    constexpr std::size_t kMostText = 1000;
    reply["error"] = {{"code", code}, {"message", message.substr(0, kMostText)}};
    if (answers) socket_.put(line.client, reply);
  };
  const json request =
      depth_of(line.text) > kMostDepth ? json(json::value_t::discarded) : json::parse(line.text, nullptr, false);
  if (request.is_discarded()) return refuse(kNoJson, "no JSON of at most 64 levels in one line");
  const bool has_id = request.is_object() && request.contains("id");
  if (has_id && (request["id"].is_number_integer() || request["id"].is_string())) reply["id"] = request["id"];
  const bool valid = request.is_object() && request.value("jsonrpc", json()) == "2.0" && request.contains("method") &&
                     request["method"].is_string() && (!has_id || !reply["id"].is_null());
  if (!valid) return refuse(kNoRequest, "no request; expected {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": NAME}");
  answers = has_id;  // others are notifications
  const auto name = request["method"].get<std::string>();
  const auto method = std::ranges::find(methods_, name, &ControlMethod::name);
  if (method == methods_.end()) return refuse(kNoMethod, "unknown method '" + name + "'; describe lists all");
  const json params = request.value("params", json::object());
  if (!params.is_object()) return refuse(kParams, "params: no object; expected parameters by name");
  try {
    if (method->needs.files && !why_no_files(run_.state()).empty())
      throw ControlRefusal(kNotNow, name, "a kiosk", "a window without --kiosk");
    if (!method->needs.no_headless.empty() && run_.mode() == "headless")
      throw ControlRefusal(kNotNow, name, std::string(method->needs.no_headless), "a run in a window");
    const ControlCall call{*this, run_, line.client, reply["id"], params};
    json result = method->run == nullptr ? run_.act(call, name) : method->run(call);
    if (result.is_discarded() || !has_id) return;  // answered later; a notification
    reply["result"] = std::move(result);
    socket_.put(line.client, reply);
  } catch (const ControlRefusal& error) {
    refuse(error.code, error.what());
  } catch (const std::exception& error) {
    refuse(kParams, error.what());
  }
}

json Control::defer(const ControlCall& call, double timeout_s, std::string late, Poll poll) {
  deferred_.push_back(
      {call.client, call.id, now_ns() + static_cast<std::int64_t>(timeout_s * 1e9), std::move(late), std::move(poll)});
  return json(json::value_t::discarded);
}

void Control::answer_deferred() {
  std::erase_if(deferred_, [this](const Deferred& one) {
    std::optional<json> result = one.poll();
    if (!result && now_ns() < one.end_ns) return false;
    json reply = {{"jsonrpc", "2.0"}, {"id", one.id}};
    if (result)
      reply["result"] = std::move(*result);
    else
      reply["error"] = {{"code", kLate}, {"message", one.late}};
    if (!one.id.is_null()) socket_.put(one.client, reply);
    return true;
  });
}

void Control::edit(const ControlCall& call, RemoteEdit by, const std::function<void()>& change) {
  if (!by.joint.empty()) by.joint = std::to_string(call.client) + " " + by.joint;
  run_.observe();
  change();
  run_.record(by);
  notice(name_of(call.client));
}

std::string Control::apply_history(const ControlCall& call, HistoryAct act) {
  std::string text = run_.apply_history(act);
  notice(name_of(call.client));
  return text;
}

std::string Control::name_of(std::uint64_t client) {
  const std::string& name = clients_[client].name;
  return name.empty() ? socket_.place_of(client) : name;
}

bool Control::wanted(const std::string& kind) const {
  return std::ranges::any_of(clients_, [&](const auto& client) { return client.second.events.contains(kind); });
}

void Control::emit(const std::string& kind, json params) {
  params["kind"] = kind;
  params["revision"] = revision_;
  const json event = {{"jsonrpc", "2.0"}, {"method", "event"}, {"params", std::move(params)}};
  for (const auto& [number, client] : clients_)
    if (client.events.contains(kind)) socket_.put_event(number, kind, event);
}

// Compares the state with that of the last call, and sends the events. `by`: who has changed parameters and marks.
void Control::notice(const std::string& by) {
  constexpr std::int64_t kApart_ns = 10'000'000, kCountsApart_ns = 100'000'000;
  constexpr std::array<const char*, 9> kStates = {"live",    "replay",  "frozen",    "fault", "idle",
                                                  "opening", "waiting", "no_sender", "still"};
  const WindowState& s = run_.state();
  notice_params(by);
  if (known_.marks != s.marks.list) {
    known_.marks = s.marks.list;
    emit("marks", {{"marks", marks_json(s.marks)}, {"by", by}});
  }
  const std::int64_t now_at_ns = now_ns();
  if (now_at_ns - known_.followed_ns < kApart_ns) return;
  known_.followed_ns = now_at_ns;
  const auto follow = [this](const std::string& kind, json now) {
    json& known = known_.others[kind];
    if (known == now) return;
    known = std::move(now);
    emit(kind, known);
  };
  follow("source", {{"source", run_.named()}, {"name", s.source.name}, {"frames", s.source.frame_count}});
  follow("state", {{"state", kStates[static_cast<std::size_t>(s.run)]}});
  const RecordingView& recording = s.saving.recording;
  follow("recording", {{"on", recording.on}, {"finishing", recording.finishing}, {"file", recording.file}});
  follow("job",
         {{"busy", s.saving.writing || !s.saving.busy.empty()}, {"last", s.saving.last}, {"failed", s.saving.failed}});
  follow("scanner", scanner_json(s.scanner));
  follow("fault", fault_json(s.notices.fault));
  notice_messages();
  if (wanted("counts") && now_at_ns - known_.counted_ns >= kCountsApart_ns) {
    known_.counted_ns = now_at_ns;
    follow("counts", counts_json(s.numbers));
  }
}

void Control::notice_params(const std::string& by) {
  const ImagingParams& now = run_.state().params;
  if (known_.params == now) return;
  ++revision_;
  json changed = json::object();
  const json values = params_json(now);
  for (const ParamSpec& spec : param_table())
    if (get_number(now, spec) != get_number(known_.params, spec))
      changed[std::string(spec.key)] = values[std::string(spec.key)];
  known_.params = now;
  emit("params", {{"changed", std::move(changed)}, {"by", by}});
}

void Control::notice_messages() {
  constexpr std::array<const char*, 3> kSeverities = {"info", "warning", "error"};
  const MessageLog& log = run_.state().notices.messages;
  const std::size_t count = log.list().size() + log.removed();
  for (std::size_t i = std::min(count - std::min(count, known_.messages), log.list().size()); i > 0; --i) {
    const Message& message = log.list()[i - 1];
    emit("message", {{"severity", kSeverities[static_cast<std::size_t>(message.severity)]}, {"text", message.text}});
  }
  known_.messages = count;
}

json counts_json(const StreamNumbers& n) {
  return {{"produced", n.counts.produced},
          {"processed", n.counts.processed},
          {"dropped", n.counts.dropped},
          {"shown", n.shown},
          {"errors", n.errors},
          {"processed_fps", n.processed_fps},
          {"latency_p50_ms", n.latency.recent.p50_ms}};
}

}  // namespace echoloop
