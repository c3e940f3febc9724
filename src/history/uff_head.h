// What a recording says beside its samples: the UFF objects of an acquisition, and the group /echoloop with what UFF
// cannot say (formats/base/acquisition_json.h documents it). Under hdf5_lock(). Internal to src/history.
#pragma once

#include <hdf5.h>

#include <string>

#include "core/acquisition.h"

namespace echoloop::uff {

struct About {
  std::string version;     // of the program
  std::string parameters;  // JSON
};

// Everything below the root but /channel_data/data and the numbers of frames. Throws std::runtime_error.
void write_head(hid_t file, const Acquisition& acquisition, const About& about);

}  // namespace echoloop::uff
