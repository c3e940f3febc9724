// The meaning of MUST's `param` struct: probe, transmits and time zero of an RF or IQ array (time x element [x ...]).
// Internal to src/formats.
#pragma once

#include <map>
#include <string>

#include "formats/containers/mat_file.h"
#include "formats/readers/samples.h"

namespace echoloop {

// `fields`: numeric fields by lower-case name. Throws Error naming the field that is missing or does not fit.
RecordingParts must_recording(const std::string& what, const OwnedArray& array,
                              const std::map<std::string, MatField>& fields);

}  // namespace echoloop
