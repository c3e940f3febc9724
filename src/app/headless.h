// The program without a window: the same stream, for a number of frames or seconds, then images and report.
#pragma once

#include "app/options/options.h"
#include "app/stream/choose_backend.h"

namespace echoloop {

int run_headless(const Options& options);
int run_headless(const Options& options, const ChosenBackend& chosen);  // a backend that several runs share

// No display and not asked to be headless: names the files that it will write, then the same loop for a few seconds.
int run_without_display(Options options);

}  // namespace echoloop
