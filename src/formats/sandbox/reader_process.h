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
#pragma once

#include <string>

#include "formats/base/open_request.h"
#include "formats/base/recording.h"

namespace echoloop {

// Throws Error. Opening thread; what the Recording then offers, as recording.h says.
Recording open_in_reader_process(const OpenRequest& request);

// What the file holds, as JSON text (import/import.h). Throws Error.
std::string outline_in_reader_process(const OpenRequest& request);

}  // namespace echoloop
