// Mapping of an image's values to colours: levels by the display parameters; the weights of an adaptive method, 0 to 1,
// on a linear scale of their own.
#pragma once

#include "core/params.h"

namespace echoloop {

// Returns the display of an image made with `formation`. Weights: t = weight, without gain, TGC and reject, in viridis.
inline DisplayParams shown_display(const FormationParams& formation, const DisplayParams& display) {
  if (!shows_weight(formation)) return display;
  DisplayParams shown;
  shown.dynamic_range_db = 1.0;
  shown.gain_db = -1.0;
  shown.color_map = ColorMap::viridis;
  shown.mirrored = display.mirrored;
  return shown;
}

// Returns the parameters with that display.
inline ImagingParams as_shown(ImagingParams params) {
  params.display = shown_display(params.formation, params.display);
  return params;
}

}  // namespace echoloop
