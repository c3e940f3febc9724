// Selects the reader of a file by its content: containers by the first bytes, formats by the rows of format_table.h.
// Reader process. Internal to src/formats.
#pragma once

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"

namespace echoloop {

// Opens request.path_to_open. Throws Error of one line.
LibraryRecording open_library_recording(const OpenRequest& request);

// Returns the file's content, as JSON (import/import.h).
std::string library_outline(const OpenRequest& request);

}  // namespace echoloop
