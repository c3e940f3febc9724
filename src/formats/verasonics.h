// Verasonics workspaces saved from MATLAB: RcvData (or one of its cells under a name of the user's) with Trans, TX,
// Receive, Resource, Event, TW as the Vantage software defines them. Internal to src/formats, reader process.
#pragma once

#include "formats/library_recording.h"
#include "formats/mat_file.h"

namespace echoloop {

inline constexpr const char* kVerasonicsAccepted = "a Verasonics workspace with RcvData, Trans, TX and Receive";

bool looks_like_verasonics(const MatFile& file);
// Some of its variables, whether or not they are enough.
bool looks_like_part_of_verasonics(const MatFile& file);
LibraryRecording read_verasonics(const OpenRequest& request, const MatFile& file);

}  // namespace echoloop
