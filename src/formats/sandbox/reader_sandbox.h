// What the reader process gives up before it touches a file: memory and computing time without bound, new files, the
// network, other processes, the rest of the file system. What a kernel does not offer is left out, and the result says
// so. Called once, first thing, in a process of one thread. Internal to src/formats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace echoloop {

struct SandboxLimits {
  std::size_t memory_bytes = 0;  // heap
  std::size_t mapped_bytes = 0;  // files and shared memory mapped beside it
  std::vector<int> files = {};   // the only files that can be opened again
};

// What is in force.
struct SandboxParts {
  bool seccomp = false;     // system calls that reading needs, by their arguments
  bool landlock = false;    // no file but the recording
  bool namespaces = false;  // no network, no users; no path but the files that are open
  bool processes = false;   // no process but itself
};

SandboxParts enter_reader_sandbox(const SandboxLimits& limits);

// How one of SandboxLimits::files is opened again from inside.
std::string path_in_sandbox(int file, const SandboxParts& parts);

// Ends this process unless called again within a minute and a half; stop_reader_alarm() while it waits for a command.
void start_reader_alarm();
void stop_reader_alarm();
// Ends this process after so many seconds of computing, at most, unless start_reader_alarm() is called meanwhile.
void limit_computing(std::size_t seconds);

}  // namespace echoloop
