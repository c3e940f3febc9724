// The files that the command line asks for: looked at before anything starts; the report, written last.
#pragma once

#include <nlohmann/json.hpp>

#include "app/options/options.h"

namespace echoloop {

// Throws Error for what could not be written in the end: a folder that is not there, a name of the wrong kind, two
// outputs in one file, or an output in place of the recording or of the text that describes it.
void require_outputs(const Options& options);

// --report, after the other files: where the image's description has its name, the file holds both. Throws Error.
void write_report(const Options& options, const nlohmann::json& report);

}  // namespace echoloop
