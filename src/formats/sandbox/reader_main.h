// The reader process's side of open_in_reader_process(): main code of its program (reader.cpp).
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

// Opens the file passed by the viewer and answers its requests until the viewer ends. Returns the exit status: call it
// first in main(), with nothing after it. `open` selects the reader (format_registry.h); tests have their own.
// `outline` returns the file's content, for outline_in_reader_process().
using LibraryOutline = std::function<std::string(const OpenRequest&)>;
int run_reader_process(int argc, char** argv, const LibraryOpener& open, const LibraryOutline& outline = {});

// Enters the sandbox and returns its active parts as exit status (reader_child.h). `linked`: kIsStaticProgram, or 0.
bool is_sandbox_question(int argc, char** argv);
int answer_sandbox_question(int linked);

// Rights that the reader process drops before it reads a file: unlimited memory and computing time, new files, the
// network, other processes, the rest of the file system. Restrictions that the kernel lacks are skipped, as the result
// shows. Called once, first, in a process of one thread. Internal to src/formats.

struct SandboxLimits {
  std::size_t memory_bytes = 0;  // heap
  std::size_t mapped_bytes = 0;  // additional mappings: files and shared memory
  std::vector<int> files = {};   // the only files that can be reopened
};

// Active restrictions.
struct SandboxParts {
  bool seccomp = false;     // only system calls needed for reading, checked by arguments
  bool landlock = false;    // no file but the recording
  bool namespaces = false;  // no network, no users; no paths except the open files
  bool processes = false;   // no process but itself
};

SandboxParts enter_reader_sandbox(const SandboxLimits& limits);

// Returns the path to reopen one of SandboxLimits::files from inside.
std::string path_in_sandbox(int file, const SandboxParts& parts);

// Ends this process unless called again within 90 s; stop_reader_alarm() while it waits for a command.
void start_reader_alarm();
void stop_reader_alarm();
// Ends this process after at most so many seconds of CPU time, unless start_reader_alarm() is called before.
void limit_computing(std::size_t seconds);

// Opens a recording in a separate process: a small program (reader.cpp) without any rights except to read this file
// (reader_sandbox.cpp) parses it, with libraries that are not safe on hostile files (HDF5, matio) and our own code.
// Frames are returned in one of four ways, none of them through the socket:
//   in place   stored in the file in the viewer's layout: the viewer maps the file and lends them; the process ends;
//   in memory  small enough for the budget: read once into shared memory, and lent from there; the process ends;
//   kept       of a format that reads single frames, and more than a few MB: the process continues, and reads each
//              frame on first demand into shared memory, lent from then on; it ends after the last frame;
//   streamed   the process continues and reads ahead, directly into the shared memory of the viewer's frames.
// A process that crashes, hangs or sends invalid data causes one Error; the viewer continues. Internal to src/formats.

// Throws Error. Opening thread; the threads of the Recording: see recording.h.
Recording open_in_reader_process(const OpenRequest& request);

// Returns the file's content, as JSON text (import/import.h). Throws Error.
std::string outline_in_reader_process(const OpenRequest& request);

}  // namespace echoloop
