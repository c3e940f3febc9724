// Control of a run by other programs of this user: JSON-RPC 2.0, one object a line, on a UNIX socket beside those of
// senders. A request becomes the command that menus and keys send. Main thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control_socket.h"
#include "app/opening/source_kinds.h"
#include "app/outputs/doubts.h"
#include "app/session_file.h"
#include "backend/backend.h"
#include "core/error.h"
#include "core/results/image.h"
#include "core/timing_trace.h"
#include "gui/state/edit_history.h"
#include "gui/state/ui_state.h"

namespace echoloop {

// Refusal of a request that is not about its parameters.
class ControlRefusal : public Error {
 public:
  ControlRefusal(int code, const std::string& what, const std::string& found, const std::string& accepted)
      : Error(what, found, accepted), code(code) {}
  int code;
};
inline constexpr int kNotNow = -32000;
inline constexpr int kOtherRevision = -32002;

struct ControlCall;

// Run that is controlled: a window, or one without. It executes the commands after each Control::look().
class Controlled {
 public:
  Controlled(WindowState& state, Commands& commands) : state_(state), commands_(commands) {}
  virtual ~Controlled() = default;
  Controlled(const Controlled&) = delete;
  Controlled& operator=(const Controlled&) = delete;

  [[nodiscard]] WindowState& state() const { return state_; }
  template <class Command>
  void send(Command command) {
    commands_.send(std::move(command));
  }

  [[nodiscard]] virtual std::string_view mode() const = 0;     // "window", "headless"
  [[nodiscard]] virtual const std::string& named() const = 0;  // source, as named by the user
  [[nodiscard]] virtual OpenedSource opened() const = 0;       // without a source: null in it
  [[nodiscard]] virtual const Backend& backend() const = 0;
  [[nodiscard]] virtual const TimingTrace& trace() const = 0;
  [[nodiscard]] virtual const Image& image() const = 0;                // newest one; number 0: none
  [[nodiscard]] virtual std::vector<float> levels() const = 0;         // dB of it, [nz][nx]
  [[nodiscard]] virtual Measured measured() const = 0;                 // on it
  [[nodiscard]] virtual const std::vector<Doubt>* doubts() const = 0;  // about the facts; null: not measured
  [[nodiscard]] virtual nlohmann::json report() const = 0;
  [[nodiscard]] virtual SavedSession session() const = 0;

  // Returns why no other source can be opened; empty: one can.
  [[nodiscard]] virtual std::string_view why_one_source() const { return {}; }

  // Undo: observe() before a change and record() after it, or a step back or forward, in words; empty: none.
  virtual void observe() = 0;
  virtual void record(const RemoteEdit& by) = 0;
  virtual std::string apply_history(HistoryAct act) = 0;
  // Executes a method without a function in the table.
  virtual nlohmann::json act(const ControlCall& call, std::string_view method) = 0;

 private:
  WindowState& state_;
  Commands& commands_;
};

class Control;

// Request in work.
struct ControlCall {
  Control& control;
  Controlled& run;
  std::uint64_t client;
  const nlohmann::json& id;
  const nlohmann::json& params;
};

struct ControlNeeds {
  bool files = false;                 // opens, saves, records or ends: refused in a kiosk
  std::string_view no_headless = {};  // why a run without a window refuses; empty: it does not
};

// Row of the table of methods, for `describe`, the manual and its test.
struct ControlMethod {
  std::string_view name, params, result, help;
  ControlNeeds needs = {};
  nlohmann::json (*run)(const ControlCall&) = nullptr;  // null: Controlled::act()
};

// Kinds of events, in order of `describe`.
inline constexpr std::array<std::string_view, 11> kControlEvents = {
    "params", "source", "state", "marks", "counts", "recording", "job", "scanner", "message", "fault", "quit"};
[[nodiscard]] nlohmann::json counts_json(const StreamNumbers& numbers);

class Control {
 public:
  // Throws Error: the name is not valid, or in use.
  Control(const std::string& name, Controlled& run, std::span<const ControlMethod> methods);

  // Returns true if a program connected, sent or left; waits for that at most so long.
  [[nodiscard]] bool wait(int most_ms) const { return socket_.wait(most_ms); }
  void look();  // between two frames of the run, before commands are executed
  [[nodiscard]] bool quits() const { return quits_; }

  // For methods:
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  void name_client(std::uint64_t client, const std::string& name) { clients_[client].name = name; }
  [[nodiscard]] std::set<std::string>& events_of(std::uint64_t client) { return clients_[client].events; }
  // Makes a change of parameters or marks one step of undo, by this program.
  void edit(const ControlCall& call, RemoteEdit by, const std::function<void()>& change);
  std::string apply_history(const ControlCall& call, HistoryAct act);
  // Answers later, when `poll` returns a result; after `timeout_s` with the error -32003 and `late`.
  using Poll = std::function<std::optional<nlohmann::json>()>;
  nlohmann::json defer(const ControlCall& call, double timeout_s, std::string late, Poll poll);
  void quit() { quits_ = true; }

 private:
  struct Client {
    std::string name;
    std::set<std::string> events;
  };
  struct Deferred {
    std::uint64_t client = 0;
    nlohmann::json id;
    std::int64_t end_ns = 0;
    std::string late;
    Poll poll;
  };
  // State at the last look, for events.
  struct Known {
    ImagingParams params;
    std::vector<Mark> marks;
    std::size_t messages = 0;
    std::map<std::string, nlohmann::json> others = {};  // by kind
    std::int64_t followed_ns = 0, counted_ns = 0;       // last looks at the others, at the counts
  };

  void answer(const ControlLine& line);
  void answer_deferred();
  void notice(const std::string& by);
  void notice_params(const std::string& by);
  void notice_messages();
  [[nodiscard]] std::string name_of(std::uint64_t client);
  void emit(const std::string& kind, nlohmann::json params);
  [[nodiscard]] bool wanted(const std::string& kind) const;

  Controlled& run_;
  std::span<const ControlMethod> methods_;
  ControlSocket socket_;
  std::map<std::uint64_t, Client> clients_;
  std::vector<Deferred> deferred_;
  Known known_;
  std::uint64_t revision_ = 0;
  bool quits_ = false;
};

}  // namespace echoloop
