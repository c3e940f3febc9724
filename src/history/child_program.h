// Another program that reads from this one: its standard input is a socket, what it prints is kept. In a process group
// of its own, so that Ctrl+C in a terminal ends it only by way of this program. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {

class ChildProgram {
 public:
  // The first argument is the program, looked for on PATH. Throws Error where it cannot be started.
  explicit ChildProgram(const std::vector<std::string>& arguments);
  ~ChildProgram();  // killed, if it still runs
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // False where the program reads no more: it has ended, or took nothing for a minute.
  [[nodiscard]] bool write(std::span<const std::uint8_t> bytes);
  void interrupt();                          // SIGTERM
  [[nodiscard]] std::optional<int> ended();  // its exit status, as of finish(); nothing while it runs
  // Ends its input and waits for its end: its exit status, or 128 + the number of the signal that ended it.
  int finish();
  [[nodiscard]] std::string printed() const;  // on standard output and standard error, until now

 private:
  FileDescriptor input_, printed_;
  pid_t pid_ = -1;
};

// Whether PATH holds such a program.
bool is_on_path(const std::string& program);

}  // namespace echoloop
