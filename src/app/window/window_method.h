// The own method of the window: its file is compiled again at every save, on a thread, and the last one that compiled
// and ran stays in use; or a function of another program, once the user has agreed to it. UI thread only.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <set>
#include <string>

#include "app/options/options.h"
#include "app/outputs/method_server.h"
#include "app/own_builder.h"
#include "gui/state/ui_state.h"
#include "gui/state/window_commands.h"

namespace echoloop {

class WindowMethod {
 public:
  // Begins with the method of the command line, if there is one; listens to programs that offer methods, unless another
  // viewer does, or this is a kiosk.
  WindowMethod(WindowState& state, Commands& commands, const Options& options);

  ~WindowMethod();  // ends the build in progress
  WindowMethod(const WindowMethod&) = delete;
  WindowMethod& operator=(const WindowMethod&) = delete;

  // Uses the file from now on. Throws Error where images are formed by a GPU for which nothing can be compiled.
  void open(const std::filesystem::path& file);
  void answer(std::uint64_t id, MethodAnswer answer);
  void look();  // once a window frame

 private:
  struct Seen {
    std::filesystem::file_time_type written{};
    std::uintmax_t bytes = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  static void listen();
  [[nodiscard]] Seen see() const;
  [[nodiscard]] OwnTarget target() const;  // where images are formed
  void take(const OwnBuild& build);
  void look_for_fault();
  void look_at_programs();
  void describe(const UsedMethod& used);
  void take_problem(const UsedMethod& used);
  void use(const std::shared_ptr<const OwnMethod>& method);

  WindowState& state_;
  Commands& commands_;
  const int gpu_;
  std::filesystem::path file_;  // empty: none
  OwnTarget built_for_;
  Seen seen_;
  std::chrono::steady_clock::time_point next_look_;
  bool chosen_ = false;          // the method is to be in use once it compiles
  std::future<void> preparing_;  // prepare_own_methods(), once
  std::future<OwnBuild> work_;
  std::set<std::string> agreed_;  // names of methods that programs may offer again
  struct Program {
    MethodTimes counted = {};  // at the last look
    std::chrono::steady_clock::time_point looked = {};
    std::string said;  // problem on screen
  } program_;
};

}  // namespace echoloop
