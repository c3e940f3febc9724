// Interprets MUST's `param` struct: probe, transmits and time zero of an RF or IQ array (time x element [x ...]).
// Internal to src/formats.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/containers/mat_file.h"
#include "formats/readers/samples.h"

namespace echoloop {

struct MustFacts {
  Acquisition acquisition;  // without the facts given by the samples
  std::vector<Axis> axes;   // MATLAB's order
  std::vector<double> rotation_rad;
};

// Describes samples of `shape`. `fields`: numeric fields by lower-case name. Throws Error naming the field that is
// missing or does not fit.
MustFacts must_facts(const std::string& what, const std::vector<std::size_t>& shape, SignalKind signal,
                     const std::map<std::string, MatField>& fields);

RecordingParts must_recording(const std::string& what, const OwnedArray& array,
                              const std::map<std::string, MatField>& fields);

}  // namespace echoloop
