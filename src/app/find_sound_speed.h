// --find-sound-speed: the search (backend/sound_speed.h) on one frame, without a window.
#pragma once

#include "app/options/options.h"

namespace echoloop {

// Writes curves, peaks and warnings as JSON. The frame: the last one of --frames, otherwise the first. The region: that
// of the marks, otherwise the whole image. Throws Error.
int run_find_sound_speed(const Options& options);

}  // namespace echoloop
