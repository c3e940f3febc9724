// Requests of other programs: each command of the window has a method, or a reason for none; the manual lists all. And
// programs that send anything, or never read.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/control_methods.h"
#include "core/param_table.h"
#include "gui/state/any_command.h"
#include "gui/turning.h"
#include "source/live/live_listener.h"
#include "support/environment_variable.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing::control_test {
namespace {

using nlohmann::json;

template <class... Command>
std::set<std::string_view> names_of(const std::variant<Command...>*) {
  return {Command::kInfo.name...};
}

TEST(Control, EveryCommandHasAMethodOrAReason) {
  const std::set<std::string_view> commands = names_of(static_cast<const AnyCommand*>(nullptr));
  std::set<std::string_view> methods, reasons;
  for (const ControlMethod& method : control_methods()) EXPECT_TRUE(methods.insert(method.name).second) << method.name;
  for (const NotRemote& row : not_remote()) {
    EXPECT_TRUE(reasons.insert(row.command).second) << row.command;
    EXPECT_TRUE(commands.contains(row.command)) << row.command << " is no command";
    EXPECT_FALSE(row.reason.empty());
  }
  for (const std::string_view command : commands)
    EXPECT_NE(methods.contains(command), reasons.contains(command)) << command;
}

TEST(Control, TheManualListsAllMethodsAndEvents) {
  const std::string page = read_text(std::filesystem::path(ECHO_SOURCE_DIR) / "assets/manual/python.md");
  for (const ControlMethod& method : control_methods())
    EXPECT_NE(page.find("`" + std::string(method.name) + "`"), std::string::npos) << method.name;
  for (const std::string_view event : kControlEvents)
    EXPECT_NE(page.find("`" + std::string(event) + "`"), std::string::npos) << event;
}

// Program at the socket; never waits.
class Program {
 public:
  explicit Program(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string path = (live_folder() / (name + ".control")).string();
    std::copy(path.begin(), path.end(), address.sun_path);
    connected_ = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  [[nodiscard]] bool connected() const { return connected_; }
  void put(const std::string& line) { out_ += line + "\n"; }
  std::string ask(const std::string& method, const json& params = json::object()) {
    const std::string id = "q" + std::to_string(++asked_);
    put(json({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}).dump());
    return id;
  }
  // Sends and receives what is possible now; false: disconnected.
  bool go_on() {
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) out_.erase(0, static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN) return false;
    std::array<char, 65536> part{};
    ssize_t n = 0;
    while (reads && (n = ::recv(socket_.get(), part.data(), part.size(), 0)) > 0)
      in_.append(part.data(), static_cast<std::size_t>(n));
    for (std::size_t end = in_.find('\n'); end != std::string::npos; end = in_.find('\n')) {
      json message = json::parse(in_.substr(0, end));
      in_.erase(0, end + 1);
      if (message.contains("method"))
        events.push_back(message["params"]);
      else if (message["id"].is_null())
        ++nameless;
      else
        EXPECT_TRUE(replies.emplace(message["id"].dump(), message).second) << message;
    }
    return !reads || n != 0;
  }
  bool reads = true;
  std::map<std::string, json> replies;  // by id
  std::vector<json> events;
  int nameless = 0;  // replies without an id

 private:
  FileDescriptor socket_;
  bool connected_ = false;
  std::string out_, in_;
  int asked_ = 0;
};

class ControlledWindow : public WindowTest {
 protected:
  ControlledWindow() {
    for (const char* variable : {"HOME", "XDG_DOCUMENTS_DIR", "XDG_PICTURES_DIR", "XDG_VIDEOS_DIR", "XDG_RUNTIME_DIR"})
      ::setenv(variable, folder_.path().c_str(), 1);
    Options options = script_options("sim:points");
    options.settings = {"grid_nx=48", "grid_nz=64"};
    options.control = kName;
    options.motion = false;
    begin(options);
    EXPECT_TRUE(until([&] { return state().numbers.shown > 0; }));
  }
  // The result, or the error.
  json call(Program& program, const std::string& method, const json& params = json::object()) {
    const std::string id = json(program.ask(method, params)).dump();
    EXPECT_TRUE(until([&] { return program.go_on() && program.replies.contains(id); })) << method;
    const json reply = program.replies[id];
    return reply.contains("result") ? reply["result"] : reply["error"];
  }
  static constexpr const char* kName = "test";
};

TEST_F(ControlledWindow, AChangeIsOneStepOfUndoNamedAfterIt) {
  Program program(kName);
  ASSERT_TRUE(program.connected());
  const ImagingParams before = state().params;
  ImagingParams slower = before;
  slower.formation.sound_speed_m_s = 1500.0;
  const std::string back = "remote: " + change_text(slower, before), there = "remote: " + change_text(before, slower);
  call(program, "set", {{"values", {{"f_number", 1.2}}}, {"label", "sweep"}});
  call(program, "set", {{"values", {{"sound_speed_m_s", 1500}}}});
  EXPECT_EQ(state().params.formation.sound_speed_m_s, 1500.0);
  EXPECT_EQ(call(program, "undo")["text"], back);
  EXPECT_EQ(call(program, "undo")["text"], "sweep");
  EXPECT_EQ(state().params, before);
  EXPECT_EQ(call(program, "undo")["code"], -32000);
  EXPECT_EQ(call(program, "redo", {{"steps", 2}})["text"], "sweep; " + there);
  press(Key::z, true);
  EXPECT_TRUE(until([&] { return state().params.formation.sound_speed_m_s == 1540.0; }));
  EXPECT_EQ(state().params.formation.f_number, 1.2);
}

TEST_F(ControlledWindow, EventsTellWhatChangedAndByWhom) {
  Program listener(kName), other(kName);
  call(other, "hello", {{"client", "sweeper"}});
  call(listener, "subscribe", {{"events", {"params", "message", "state"}}});
  call(other, "set", {{"values", {{"f_number", 1.3}}}});
  const auto has = [&](const std::string& kind, const auto& holds) {
    return until([&] {
      return listener.go_on() && std::ranges::any_of(listener.events, [&](const json& event) {
               return event["kind"] == kind && holds(event);
             });
    });
  };
  EXPECT_TRUE(has("params", [](const json& e) { return e["changed"]["f_number"] == 1.3 && e["by"] == "sweeper"; }));
  state().params.display.gain_db += 3.0;  // by hand
  app().commands().send(command::ParamsChanged{});
  EXPECT_TRUE(has("params", [](const json& e) { return e["changed"].contains("gain_db") && e["by"] == "viewer"; }));
  call(other, "freeze");
  EXPECT_TRUE(has("state", [](const json& e) { return e["state"] == "frozen"; }));
  call(other, "message", {{"text", "a line"}});
  EXPECT_TRUE(has("message", [](const json& e) { return e["text"] == "a line"; }));
  call(listener, "unsubscribe", {{"events", {"params", "message", "state"}}});
  const std::size_t n = listener.events.size();
  call(other, "message", {{"text", "another"}});
  call(listener, "hello");
  EXPECT_EQ(listener.events.size(), n);
}

TEST_F(ControlledWindow, TheHistoryIsSteppedThrough) {
  Program program(kName);
  EXPECT_EQ(call(program, "seek", {{"frame", 0}})["code"], -32000);
  ASSERT_TRUE(until([&] { return state().kept.frames > 5; }));
  call(program, "freeze");
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen && state().kept.frames > 5; }));
  EXPECT_EQ(call(program, "seek", {{"frame", 1}})["frame"], 1);
  EXPECT_EQ(call(program, "step", {{"frames", 2}})["frame"], 3);
  EXPECT_EQ(call(program, "step", {{"frames", -9}})["code"], -32602);
  call(program, "loop", {{"first", 1}, {"last", 4}});
  EXPECT_EQ(state().cine.mark_out, 4U);
  const json found = call(program, "inspect", {{"x_m", 0.0}, {"z_m", 0.02}});
  EXPECT_TRUE(found.contains("channels")) << found;
  call(program, "resume");
  EXPECT_TRUE(until([&] { return state().run != RunState::frozen; }));
}

TEST_F(ControlledWindow, AProgramThatNeverReadsDelaysNobodyAndIsDisconnected) {
  Program silent(kName), other(kName);
  silent.reads = false;
  call(other, "hello");
  for (int i = 0; i < 200; ++i) silent.ask("describe");
  silent.ask("subscribe", {{"events", kControlEvents}});
  double f_number = 1.0;
  EXPECT_TRUE(until([&] {
    f_number = f_number > 2.0 ? 1.0 : f_number + 0.01;
    EXPECT_TRUE(call(other, "set", {{"values", {{"f_number", f_number}}}}).contains("revision"));
    return !silent.go_on();
  }));
}

// Any request: of the table or not, with parameters of any kind.
class AnyRequest {
 public:
  AnyRequest(unsigned seed, const std::filesystem::path& folder) : random_(seed), folder_(folder.string()) {
    for (const ControlMethod& method : control_methods())
      if (!std::set<std::string_view>{"quit", "open_scanner", "sender", "find_sound_speed"}.contains(method.name))
        methods_.emplace_back(method.name);
    methods_.emplace_back("no_such_method");
  }
  // Returns a line; sets the id of the reply, empty: one without an id, or none.
  std::string operator()(int number, std::string& id) {
    id.clear();
    switch (below(12)) {
      case 0:
        return garbage();
      case 1:
        return std::string(below(2000), below(2) == 0 ? '[' : '{');
      case 2:
        return json({{"jsonrpc", "2.0"}, {"id", number}, {"method", below(9)}}).dump();
      case 3:
        return R"({"jsonrpc": "2.0", "method": "get", "params": {"keys": NaN}})";
      default:
        break;
    }
    id = std::to_string(number);
    json params = json::object();
    for (std::size_t i = below(4); i > 0; --i) params[kKeys[below(kKeys.size())]] = value();
    const std::string& method = methods_[below(methods_.size())];
    if (method == "set" && below(2) == 0) params["values"] = values();
    if (params.contains("timeout_s")) params["timeout_s"] = 0.001;
    if (method == "wait" || method == "inspect") params["timeout_s"] = 0.001;
    return json({{"jsonrpc", "2.0"}, {"id", number}, {"method", method}, {"params", params}}).dump();
  }

 private:
  static constexpr std::array<const char*, 24> kKeys = {"values",   "keys",  "path",   "name",   "steps",  "frame",
                                                        "frames",   "first", "last",   "factor", "on",     "x_m",
                                                        "z_m",      "zoom",  "marks",  "text",   "events", "index",
                                                        "sequence", "what",  "paused", "source", "label",  "timeout_s"};
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  std::string garbage() {
    std::string text(below(300), ' ');
    for (char& c : text) c = static_cast<char>(below(255) + 1);
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  json values() {
    json some = json::object();
    for (std::size_t i = below(3) + 1; i > 0; --i) {
      const ParamSpec& spec = param_table()[below(param_table().size())];
      if (spec.key == "grid_nx" || spec.key == "grid_nz") continue;  // of a size that lasts
      some[std::string(spec.key)] = below(3) == 0 ? value() : json(spec.min + 0.3 * (spec.max - spec.min));
    }
    return some;
  }
  json value() {
    switch (below(10)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return -1e308;
      case 3:
        return 1e308;
      case 4:
        return static_cast<std::int64_t>(below(5)) - 2;
      case 5:
        return std::string(below(3000), 'x');
      case 6:
        return folder_ + "/" + std::to_string(below(50)) + ".png";
      case 7:
        return json::array({1, "params", nullptr});
      case 8:
        return {{"f_number", 0.5 + 0.01 * static_cast<double>(below(200))}};
      default:
        return "inspector";
    }
  }

  std::mt19937 random_;
  std::string folder_;
  std::vector<std::string> methods_;
};

TEST_F(ControlledWindow, AnyRequestIsAnsweredOnce) {
  const int n = number_from_environment("ECHOLOOP_CONTROL_REQUESTS", 1000) / 2;
  const int seed = number_from_environment("ECHOLOOP_CONTROL_SEED", 1);
  std::array<Program, 2> programs{Program(kName), Program(kName)};
  std::array<int, 2> sent{}, named{};
  std::array<AnyRequest, 2> any{AnyRequest(static_cast<unsigned>(seed), folder_.path()),
                                AnyRequest(static_cast<unsigned>(seed) + 1, folder_.path())};
  constexpr int kAhead = 100;  // requests without an answer yet
  const auto answered = [&](std::size_t p) {
    return static_cast<int>(programs[p].replies.size()) + programs[p].nameless;
  };
  EXPECT_TRUE(turn_until(app(),
                         [&] {
                           for (std::size_t p = 0; p < 2; ++p) {
                             for (; sent[p] < n && sent[p] - answered(p) < kAhead; ++sent[p]) {
                               std::string id;
                               programs[p].put(any[p](sent[p], id));
                               named[p] += id.empty() ? 0 : 1;
                             }
                             EXPECT_TRUE(programs[p].go_on());
                           }
                           return sent[0] == n && sent[1] == n && answered(0) == n && answered(1) == n;
                         }))
      << answered(0) << " and " << answered(1) << " of " << n << ", seed " << seed;
  for (std::size_t p = 0; p < 2; ++p) EXPECT_GE(static_cast<int>(programs[p].replies.size()), named[p]);
  EXPECT_TRUE(call(programs[0], "hello").contains("version"));
  EXPECT_TRUE(call(programs[1], "set", {{"values", {{"f_number", 1.5}}}}).contains("revision"));
}

}  // namespace
}  // namespace echoloop::testing::control_test
