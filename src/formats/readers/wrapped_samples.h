// Two's complement that is stored as unsigned numbers. Internal to src/formats.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/base/library_recording.h"

namespace echoloop {

std::vector<std::byte> first_frame(const LibraryRecording& recording);

// Where the first frame says it, values of unsigned samples from half of their range on are read as those below 0, and
// this is said.
void read_as_signed(LibraryRecording& recording);

}  // namespace echoloop
