// The built program, started and left running during a test's actions.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "support/waiting.h"
#include "test_paths.h"

namespace echoloop::testing {

class StartedProgram {
 public:
  // Writes its standard error to a file in `folder`; discards its output. `variables`: added to the environment.
  StartedProgram(std::vector<std::string> words, const TemporaryFolder& folder, std::vector<std::string> variables = {})
      : errors_(folder / "stderr.txt") {
    words.insert(words.begin(), ECHO_PROGRAM);
    std::vector<char*> argv, envp;
    for (std::string& word : words) argv.push_back(word.data());
    for (std::string& variable : variables) envp.push_back(variable.data());
    for (char** variable = environ; *variable != nullptr; ++variable) envp.push_back(*variable);
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawn(&child_, ECHO_PROGRAM, &files, nullptr, argv.data(), envp.data()) != 0) child_ = 0;
    posix_spawn_file_actions_destroy(&files);
  }
  ~StartedProgram() {
    if (!runs()) return;
    ::kill(child_, SIGKILL);
    (void)end();
  }
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  void send(int signal) const { ::kill(child_, signal); }

  // Returns true if `holds` comes true before the program ends, within a minute.
  [[nodiscard]] bool waits_for(const std::function<bool()>& holds) {
    bool held = false;
    return holds_within(std::chrono::seconds(60), [&] { return (held = holds()) || !runs(); }) && held;
  }

  // Returns the processor time so far.
  [[nodiscard]] double cpu_seconds() const {
    std::ifstream file("/proc/" + std::to_string(child_) + "/stat");
    const std::string line(std::istreambuf_iterator<char>(file), {});
    std::istringstream fields(line.substr(std::min(line.size(), line.rfind(") ") + 2)));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0.0, system = 0.0;  // the 14th and 15th field
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

  // Returns true if it has a handler for this signal.
  [[nodiscard]] bool catches(int signal) const {
    std::ifstream file("/proc/" + std::to_string(child_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
    }
    return false;
  }

  // Waits for its end; returns the exit status, or 128 + the signal.
  int end() {
    if (runs()) {
      ::waitpid(child_, &status_, 0);
      child_ = 0;
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

  [[nodiscard]] std::string errors() const { return read_text(errors_); }

 private:
  [[nodiscard]] bool runs() {
    if (child_ != 0 && ::waitpid(child_, &status_, WNOHANG) == child_) child_ = 0;
    return child_ != 0;
  }

  std::filesystem::path errors_;
  pid_t child_ = 0;
  int status_ = 0;
};

}  // namespace echoloop::testing
