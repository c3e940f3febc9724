// The comparison of two images, A and B, as the window edits it and the application fills it: beside Cine, which says
// whether there is one and with which parameters A is made. Plain values. UI thread only.
#pragma once

#include <cstdint>
#include <string>

#include "core/acquisition.h"
#include "core/sample_log.h"

namespace echoloop {

enum class CompareSide { a, b };
enum class CompareLook { wipe, side_by_side };

// A where it is a recording of its own. Filled by the application.
struct ComparedRecording {
  std::string name;            // empty: A is B's recording with held settings
  AcquisitionPtr acquisition;  // null while the recording is being opened
  std::string opened_as = {};  // what to open to have it again
  std::uint64_t frame_count = 0;
  SampleLogPtr samples = {};
};

}  // namespace echoloop
