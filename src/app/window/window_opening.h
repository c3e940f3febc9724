// The source being opened, its purpose, and the question to the user if the system has no sandbox. UI thread only.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/session_file.h"
#include "app/window/engine.h"
#include "formats/open_recording.h"
#include "history/film.h"

namespace echoloop {

class WindowOpening {
 public:
  enum class Current { is_replaced, becomes_a };  // the source in use; becomes_a: side A of the comparison
  struct Purpose {
    std::shared_ptr<const SavedSession> session = {};  // to restore; null: none
    std::optional<Setup> setup = {};                   // of a reset, for this source
    Current current = Current::is_replaced;
    std::string refused = {};  // error of the command line's source, which this one replaces
  };

  // `record`: file of --record.
  WindowOpening(WindowState& state, std::filesystem::path record, SourceInUse& in_use, Engine& engine, Viewer& viewer)
      : state_(state), record_(std::move(record)), in_use_(in_use), engine_(engine), viewer_(viewer) {}

  void open(const std::string& name, const Facts& facts = {}) { open(name, facts, Purpose()); }
  // Opens a source. The scanner in use or being waited for keeps its address: it is not opened again, but continues. A
  // reset does not open the source in use again either.
  void open(const std::string& name, const Facts& facts, Purpose purpose);
  // Opens recordings, sessions; unfinished recordings after repair. Throws Error.
  void open_file(const std::filesystem::path& file);
  void open_phantom(const std::string& text);  // as for parse_phantom()
  void open_lesson(const std::string& name);   // a session in assets/lessons
  // Waits for a sender on another machine; creates a missing token file.
  void open_network_scanner(std::uint16_t port);
  void open_again() { opener_.open_again(); }
  void open_again(OpenedSource source, Purpose purpose);  // a source used before
  void cancel();
  [[nodiscard]] std::optional<LiveWaiting> scanner() const { return opener_.waiting(); }  // being waited for
  [[nodiscard]] bool busy() const { return opener_.busy() || known_.has_value(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }
  [[nodiscard]] double fraction() const { return opener_.fraction(); }

  // Returns the result, if finished; shows the progress until then. Its purpose remains until taken or dropped.
  [[nodiscard]] std::optional<SourceOpener::Result> take();
  [[nodiscard]] Purpose take_purpose() { return std::exchange(purpose_, {}); }
  [[nodiscard]] bool replaces() const { return purpose_.current == Current::is_replaced; }
  void drop_purpose() { purpose_ = {}; }

  void offer_repair();  // of the newest recording left by a killed program in this one's folder

 private:
  [[nodiscard]] bool uses_scanner(const std::string& name) const;

  WindowState& state_;
  const std::filesystem::path record_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  SourceOpener opener_;
  std::optional<OpenedSource> known_;  // source opened once more
  Purpose purpose_;
};

// The window's scanner: the state of its sender, also before one has connected, and its lines for the message log. UI
// thread only.

class WindowScanner {
 public:
  WindowScanner(WindowState& state, SourceInUse& in_use, const WindowOpening& opening)
      : state_(state), in_use_(in_use), opening_(opening) {}

  void look();                       // once a window frame: fills WindowState::scanner
  void command(SenderCommand what);  // no effect without a scanner; throws Error

 private:
  // Starts `echoloop send` with the heart phantom, which ends with this program, or ends it.
  void toggle_phantom();
  [[nodiscard]] const std::string& named() const;
  void say(const std::vector<LiveNote>& notes);
  void look_at_phantom();
  void end_phantom();

  WindowState& state_;
  SourceInUse& in_use_;
  const WindowOpening& opening_;
  std::optional<ChildProgram> phantom_;
  std::string sends_to_;  // target of the phantom; LiveStatus::address
  bool ending_ = false;   // interrupted
  std::size_t said_ = 0;  // bytes already copied from its output
};

// The question whether a recording may be opened although the system has no sandbox. UI thread only.

class SandboxQuestion {
 public:
  enum class Asker { opened, compared };  // opener without a sandbox
  struct Answered {
    Asker asker;
    NoSandbox why;
    SandboxAnswer answer;
  };

  SandboxQuestion(WindowState& state, RunKind kind) : state_(state), kind_(kind) {}

  // Asks about the recording `name`. In an unattended run the answer is no.
  void ask(Asker asker, const NoSandbox& why, const std::string& name);
  void answer(SandboxAnswer answer);
  void withdraw();  // the recording is not needed any more
  // Returns the answer once; a yes lifts the requirement of a sandbox.
  [[nodiscard]] std::optional<Answered> take();

 private:
  struct Question {
    Asker asker;
    NoSandbox why;
    std::optional<SandboxAnswer> answer;
  };

  WindowState& state_;
  const RunKind kind_;
  std::optional<Question> question_;  // shown in OpeningView::unsandboxed
};

}  // namespace echoloop
