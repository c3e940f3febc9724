// The reader process's side of reader_process.h: what its program (reader.cpp) runs.
#pragma once

#include <functional>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"

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

}  // namespace echoloop
