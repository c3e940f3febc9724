// The GPU short course's recording: a pickled dict {'rf': ..., 'context': {...}} of plane waves of a linear array.
// Internal to src/formats.
#pragma once

#include "formats/library_recording.h"
#include "formats/reader.h"

namespace echoloop {

LibraryRecording read_short_course_pickle(const OpenRequest& request);

}  // namespace echoloop
