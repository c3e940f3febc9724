// What the program's own recordings say beyond UFF: the group /echoloop (acquisition_json.h documents it).
// Internal to src/formats, reader process.
#pragma once

#include "formats/readers/hdf5_samples.h"

namespace echoloop {

// Puts the exact acquisition in place of what UFF's rounded numbers gave, and drops frames that a killed writer left
// incomplete. False when the file has no such group, or one that describes nothing that can be.
bool take_own_description(const hdf5::Node& root, Hdf5Parts& parts);

}  // namespace echoloop
