// `echoloop render FILE... --out DIR`: the images of many recordings, one run after another in one process. What a run
// before has completed is left out.
#pragma once

#include "app/options/options.h"

namespace echoloop {

// Returns the exit status: 2 where a recording could not be read, 1 after another fault, else 0. Throws Error for bad
// options.
int run_render(const Options& options);

}  // namespace echoloop
