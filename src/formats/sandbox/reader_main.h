// The reader process's side of reader_process.h: what its program (reader.cpp) runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/base/recording.h"

namespace echoloop {

using LibraryOpener = std::function<LibraryRecording(const OpenRequest&)>;

bool is_reader_process(int argc, char** argv);

// Opens the file that the viewer handed over and answers its questions until it goes. Returns the exit status: before
// anything else in main(), and nothing after it. `open` chooses the reader (format_registry.h); tests have their own.
// `outline` says what the file holds, for a viewer that asks for it only (reader_process.h).
using LibraryOutline = std::function<std::string(const OpenRequest&)>;
int run_reader_process(int argc, char** argv, const LibraryOpener& open, const LibraryOutline& outline = {});

// What of the sandbox is in force here: enters it, and the exit status says (reader_settings.h). `linked`:
// kIsStaticProgram, or 0.
bool is_sandbox_question(int argc, char** argv);
int answer_sandbox_question(int linked);

// What the reader process gives up before it touches a file: memory and computing time without bound, new files, the
// network, other processes, the rest of the file system. What a kernel does not offer is left out, and the result says
// so. Called once, first thing, in a process of one thread. Internal to src/formats.

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

// Opens a recording in a process of its own: a small program (reader.cpp) that has given up everything but reading this
// file (reader_sandbox.h) parses it, with libraries that are not safe on hostile files (HDF5, matio) and our own code.
// Frames come back in one of four ways, none of them through the socket:
//   in place   the file holds them as the viewer wants them: the viewer maps the file and lends them, the process ends;
//   in memory  they fit the budget: read once, straight into shared memory, and lent from there; the process ends;
//   kept       of a format that reads single frames, and more than a few MB: the process stays, and reads each frame
//   when
//              it is wanted first, into shared memory that is lent from then on; it ends with the last frame;
//   streamed   the process stays and reads ahead, straight into shared memory that goes on as the frames' memory.
// A process that dies, hangs or lies costs one Error; the viewer goes on. Internal to src/formats.

// Throws Error. Opening thread; what the Recording then offers, as recording.h says.
Recording open_in_reader_process(const OpenRequest& request);

// What the file holds, as JSON text (import/import.h). Throws Error.
std::string outline_in_reader_process(const OpenRequest& request);

}  // namespace echoloop
