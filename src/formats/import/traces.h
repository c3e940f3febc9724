// A-scans as a list of pairs (element that fires, element that receives), in any order and not all of them: described
// by `tx_of_trace` and `rx_of_trace`, and read as a matrix of transmits and elements. Reader process. Internal to
// src/formats/import.
#pragma once

#include <string>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// One of the axes is "trace".
bool describes_traces(const Json& meta);

// As described_tree(), of such a description: the elements that fire are the transmits, in rising order. A pair that is
// not there is that of the opposite direction (reciprocity), else zeros. Throws Error.
LibraryRecording described_traces(const OpenRequest& request, const std::string& what, const Json& description,
                                  const ArrayTree& tree, const std::string& format);

}  // namespace echoloop
