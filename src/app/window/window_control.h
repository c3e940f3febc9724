// Control of the window by other programs of this user: JSON-RPC 2.0, one object a line, on a UNIX socket beside those
// of senders. A request becomes the command that menus and keys send. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/control_socket.h"
#include "app/window/engine.h"
#include "gui/viewer.h"

namespace echoloop {

class WindowControl {
 public:
  // Parts of the program that requests read and change.
  struct Parts {
    WindowState& state;
    Commands& commands;
    SourceInUse& in_use;
    Engine& engine;
  };

  // Throws Error: the name is not valid, or in use.
  WindowControl(const std::string& name, Parts parts);

  [[nodiscard]] bool has_news() { return socket_.has_news(); }  // a program connected, sent or left
  // Once a window frame, before commands are executed. Returns true if a program asked for the end.
  [[nodiscard]] bool look(const Viewer& viewer);

  // Table of the methods, for `describe`, the manual and its test.
  struct Method {
    std::string_view name, params, help;
    bool files = false;  // opens, saves, records or ends: refused in a kiosk
    nlohmann::json (WindowControl::*run)(const nlohmann::json& params) = nullptr;
  };
  [[nodiscard]] static std::span<const Method> methods();
  // Commands without a method, with the reason.
  struct NotRemote {
    std::string_view command, reason;
  };
  [[nodiscard]] static std::span<const NotRemote> not_remote();

 private:
  // Request for the first image made with the present parameters.
  struct Wait {
    std::uint64_t client = 0;
    nlohmann::json id;
    std::uint64_t after = 0;  // number of the image on screen
    std::int64_t end_ns = 0;
  };

  void answer(std::uint64_t client, const std::string& line);
  void answer_waits();
  [[nodiscard]] bool is_settled(const Wait& wait) const;

  using json = nlohmann::json;
  template <class Command>
  json plain(const json& params);  // a command without parameters
  json hello(const json& params);
  json describe(const json& params);
  json get(const json& params);
  json set(const json& params);
  json stream_get(const json& params);
  json stream_set(const json& params);
  json open(const json& params);
  json open_phantom(const json& params);
  json open_scanner(const json& params);
  json open_lesson(const json& params);
  json compare(const json& params);
  json preset_list(const json& params);
  json preset_apply(const json& params);
  json save(const json& params);
  json say(const json& params);
  json dismiss(const json& params);
  json sender(const json& params);
  json sound_speed(const json& params);
  json lesson_step(const json& params);
  json marks_get(const json& params);
  json marks_set(const json& params);
  json measurements(const json& params);
  json image(const json& params);
  json png(const json& params);
  json write_shown(const json& params, std::string_view ending);
  json counts(const json& params);
  json messages(const json& params);
  json wait(const json& params);
  json quit(const json& params);

  Parts parts_;
  ControlSocket socket_;
  std::vector<Wait> waits_;
  ImagingParams known_;  // of `revision_`
  std::uint64_t revision_ = 1;
  bool quits_ = false;
  // Of the request in work.
  std::uint64_t client_ = 0;
  json id_;
  const Viewer* viewer_ = nullptr;
};

}  // namespace echoloop
