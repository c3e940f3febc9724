// Verasonics workspaces saved from MATLAB: RcvData (or one of its cells under a name of the user's) with Trans, TX,
// Receive, Resource, Event, TW as the Vantage software defines them. Internal to src/formats, reader process.
#pragma once

#include "formats/containers/mat_file.h"

namespace echoloop {

// Some of its variables, whether or not they are enough.
bool looks_like_part_of_verasonics(const MatFile& file);

}  // namespace echoloop
