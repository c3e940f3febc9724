// What the reader process gives up before it touches a file: memory without bound, new files, the network, other
// processes, the rest of the file system. What a kernel does not offer is left out without a word: the process is still
// apart from the viewer. Called once, first thing, in a process of one thread. Internal to src/formats.
#pragma once

#include <cstddef>

namespace echoloop {

struct SandboxLimits {
  std::size_t memory_bytes = 0;  // heap
  std::size_t mapped_bytes = 0;  // files and shared memory mapped beside it
  int file = -1;                 // the only file that can be opened again (where the kernel has Landlock)
};

void enter_reader_sandbox(const SandboxLimits& limits);

// Ends this process unless called again within a minute and a half; stop_reader_alarm() while it waits for a command.
void start_reader_alarm();
void stop_reader_alarm();

}  // namespace echoloop
