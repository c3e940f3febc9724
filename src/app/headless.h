// The program without a window: the same stream, for a number of frames or seconds, then pictures and report.
#pragma once

#include "app/options.h"

namespace echoloop {

int run_headless(const Options& options);

}  // namespace echoloop
