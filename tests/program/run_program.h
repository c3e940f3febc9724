// Runs the built program as a user would and keeps its output.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/resource_limit.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

extern char** environ;

namespace echoloop::testing {

using Words = std::vector<std::string>;

inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Ended {
  int status = -1;         // 128 + signal if ended by one
  long peak_kb = 0;        // of resident memory, files' pages included
  double cpu_seconds = 0;  // computed
  std::string out;
  std::string err;
};

inline Ended run_program(Words words) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  words.insert(words.begin(), ECHO_PROGRAM);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  Ended ended;
  const int failed = posix_spawn(&child, ECHO_PROGRAM, &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    ADD_FAILURE() << "cannot start " << ECHO_PROGRAM;
    return ended;
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  ended.peak_kb = used.ru_maxrss;
  ended.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = read_text(out);
  ended.err = read_text(err);
  return ended;
}

// Ignores leaks of child processes during its lifetime: OpenGL drivers leave memory when unloaded, without a name to
// suppress.
class LeaksOfDriversIgnored {
 public:
  LeaksOfDriversIgnored() { ::setenv("LSAN_OPTIONS", "detect_leaks=0", 1); }
  ~LeaksOfDriversIgnored() { ::unsetenv("LSAN_OPTIONS"); }
  LeaksOfDriversIgnored(const LeaksOfDriversIgnored&) = delete;
  LeaksOfDriversIgnored& operator=(const LeaksOfDriversIgnored&) = delete;
};

inline Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns true for either form of a refusal (core/error.h).
inline bool says_what_is_accepted(const std::string& complaint) {
  return complaint.find("; expected ") != complaint.npos || complaint.find(" is out of range (") != complaint.npos;
}

// Returns lines of stderr that report a problem; notes such as "Using the CPU: ..." lack the program's name.
inline Words complaints_of(const Ended& ended) {
  Words complaints;
  for (const std::string& line : lines_of(ended.err)) {
    if (line.starts_with("echoloop:")) complaints.push_back(line);
  }
  return complaints;
}

}  // namespace echoloop::testing
