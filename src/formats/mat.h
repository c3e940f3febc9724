// MATLAB files as MUST (and PyMUST's older f-k relatives) write them: an array RF or IQ and a struct `param`.
// This half knows the conventions; mat_file.h knows the container. Internal to src/formats.
#pragma once

#include <span>

#include "formats/library_recording.h"
#include "formats/reader.h"

namespace echoloop {

bool looks_like_mat(std::span<const std::byte> bytes);  // v5 to v7, or v7.3
LibraryRecording read_mat(const OpenRequest& request);

}  // namespace echoloop
