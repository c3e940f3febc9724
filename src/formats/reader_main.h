// The reader process's side of reader_process.h: what the program runs when it was started with --reader-process.
#pragma once

#include <functional>

#include "formats/library_recording.h"

namespace echoloop {

using LibraryOpener = std::function<LibraryRecording(const OpenRequest&)>;

bool is_reader_process(int argc, char** argv);

// Opens the file that the viewer handed over and answers its questions until it goes. Returns the exit status: before
// anything else in main(), and nothing after it. `open` is replaced by tests.
int run_reader_process(char** argv, const LibraryOpener& open = open_library_recording);

}  // namespace echoloop
