// The GPU short course's recording: a pickled dict {'rf': ..., 'context': {...}} of plane waves of a linear array.
// Internal to src/formats.
#pragma once

#include "formats/reader.h"

namespace echoloop {

Recording read_short_course_pickle(const OpenRequest& request);

}  // namespace echoloop
