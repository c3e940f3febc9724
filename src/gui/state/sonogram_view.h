// What the window knows about the sonogram. UI thread only.
#pragma once

#include "core/results/sonogram.h"

namespace echoloop {

struct SonogramView {
  SonogramCounts counts;            // filled by the application
  const Sonogram* shown = nullptr;  // filled by the window: what the strip holds; null = none
};

}  // namespace echoloop
