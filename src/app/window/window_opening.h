// The source that is being opened, what it is opened for, and the question to the user where the system offers no
// sandbox. UI thread only.
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

// Opens a source on its own thread, so that a big file never holds up the image. The result crosses as a value.
// An attempt that is cancelled is asked to stop and left alone: a library that does not react holds up nothing.
// Owned and asked by the UI thread.

class SourceOpener {
 public:
  struct Result {
    std::optional<OpenedSource> opened;  // empty when it failed
    std::exception_ptr error;            // why
  };

  // Starts opening; an earlier attempt that is still going on is cancelled.
  void open(const std::string& name, const Facts& facts = {});
  void open_again();  // the source of the last open()
  void cancel();

  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double fraction() const { return attempt_ == nullptr ? 0.0 : attempt_->fraction.load(); }
  // A scanner whose sender has not come yet: what is known about its address.
  [[nodiscard]] std::optional<LiveWaiting> waiting() const;
  std::optional<Result> take();  // the result, once it is there

 private:
  // Shared with the thread that works on it. `result` is the thread's until `done`.
  struct Attempt {
    std::atomic<double> fraction{0.0};
    std::atomic<bool> done{false};
    bool listens = false;  // at a scanner's address
    std::mutex mutex;
    std::optional<LiveWaiting> waiting;  // under mutex
    Result result;
  };
  struct Worker {
    template <class Body>
    Worker(Body body, std::shared_ptr<Attempt> of) : attempt(std::move(of)), thread(std::move(body)) {}
    std::shared_ptr<Attempt> attempt;
    std::jthread thread;
  };

  static void run(Attempt& attempt, const std::string& name, const Facts& facts, const std::stop_token& stop);

  std::string name_;
  Facts facts_;
  bool busy_ = false;  // between open() and take() or cancel()
  std::shared_ptr<Attempt> attempt_;
  std::vector<Worker> threads_;
};

class WindowOpening {
 public:
  enum class Current { is_replaced, becomes_a };  // the source in use; A: side A of the comparison
  struct Purpose {
    std::shared_ptr<const SavedSession> session = {};  // to restore; null: none
    std::optional<Setup> setup = {};                   // of a reset, for this source
    Current current = Current::is_replaced;
    std::string refused = {};  // why the source of the command line, in whose place this one is opened, was not
  };

  WindowOpening(WindowState& state, const Options& options, SourceInUse& in_use, Engine& engine, Viewer& viewer)
      : state_(state), options_(options), in_use_(in_use), engine_(engine), viewer_(viewer) {}

  void open(const std::string& name, const Facts& facts = {}) { open(name, facts, Purpose()); }
  // The scanner in use, or the one that is waited for, keeps its address: it is not opened again, but goes on. A reset
  // does not open the source in use again either.
  void open(const std::string& name, const Facts& facts, Purpose purpose);
  // Recordings, sessions; unfinished recordings after repair. Throws Error.
  void open_file(const std::filesystem::path& file);
  void open_phantom(const std::string& text);  // of parse_phantom()
  void open_lesson(const std::string& name);   // a session in assets/lessons
  // Waits for a sender on another machine; makes the token file where there is none.
  void open_network_scanner(std::uint16_t port);
  void open_again() { opener_.open_again(); }
  void open_again(OpenedSource source, Purpose purpose);  // that was in use before
  void cancel();
  [[nodiscard]] std::optional<LiveWaiting> scanner() const { return opener_.waiting(); }  // that is waited for
  [[nodiscard]] bool busy() const { return opener_.busy() || known_.has_value(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }
  [[nodiscard]] double fraction() const { return opener_.fraction(); }

  // The result, once it is there; until then its progress is shown. Its purpose stays until it is taken or dropped.
  [[nodiscard]] std::optional<SourceOpener::Result> take();
  [[nodiscard]] Purpose take_purpose() { return std::exchange(purpose_, {}); }
  [[nodiscard]] bool replaces() const { return purpose_.current == Current::is_replaced; }
  void drop_purpose() { purpose_ = {}; }

  void offer_repair();  // of the newest recording that a killed program has left where this one records

 private:
  [[nodiscard]] bool uses_scanner(const std::string& name) const;

  WindowState& state_;
  const Options& options_;
  SourceInUse& in_use_;
  Engine& engine_;
  Viewer& viewer_;
  SourceOpener opener_;
  std::optional<OpenedSource> known_;  // that was asked for once more
  Purpose purpose_;
};

// The scanner of the window: what is known about its sender, also while none has come yet, and its lines for the
// message log. UI thread only.

class WindowScanner {
 public:
  WindowScanner(WindowState& state, SourceInUse& in_use, const WindowOpening& opening)
      : state_(state), in_use_(in_use), opening_(opening) {}

  void look();                       // once a window frame: fills WindowState::scanner
  void command(SenderCommand what);  // nothing without a scanner; throws Error

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
  std::string sends_to_;  // the phantom; LiveStatus::address
  bool ending_ = false;   // it was interrupted
  std::size_t said_ = 0;  // bytes of what it has printed
};

// The question whether a recording may be opened although the system offers no sandbox. UI thread only.

class SandboxQuestion {
 public:
  enum class Asker { opened, compared };  // which opener found no sandbox
  struct Answered {
    Asker asker;
    NoSandbox why;
    SandboxAnswer answer;
  };

  SandboxQuestion(WindowState& state, const Options& options) : state_(state), options_(options) {}

  // About the recording `name`. In a kiosk, and in a run with a number of frames, the answer is no.
  void ask(Asker asker, const NoSandbox& why, const std::string& name);
  void answer(SandboxAnswer answer);
  void withdraw();  // the recording is no longer wanted
  // Once, after the answer; the sandbox is no longer required where it is yes.
  [[nodiscard]] std::optional<Answered> take();

 private:
  struct Question {
    Asker asker;
    NoSandbox why;
    std::optional<SandboxAnswer> answer;
  };

  WindowState& state_;
  const Options& options_;
  std::optional<Question> question_;  // OpeningView::unsandboxed
};

}  // namespace echoloop
