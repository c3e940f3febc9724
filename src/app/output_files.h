// The files that the command line asks for, looked at before anything starts.
#pragma once

#include "app/options.h"

namespace echoloop {

// Throws Error for what could not be written in the end: a folder that is not there, a name of the wrong kind, two
// outputs in one file, or an output in place of the recording or of the text that describes it.
void require_outputs(const Options& options);

}  // namespace echoloop
