// The program without a window: the same stream, for a number of frames or seconds, then pictures and report.
#pragma once

#include "app/options/options.h"

namespace echoloop {

int run_headless(const Options& options);

// No display and not asked to be headless: the same loop for a few seconds, then says where picture, window and report
// are.
int run_without_display(Options options);

}  // namespace echoloop
