// What one window frame shows: the surface, the screen's areas, the images and their display. UI thread only.
#pragma once

#include "core/results/image.h"
#include "gui/gl/matched_levels.h"
#include "gui/gl/surface.h"
#include "gui/screen.h"
#include "gui/toolkit/flow_texture.h"
#include "gui/view/m_mode.h"
#include "gui/view/spectrogram_strip.h"

namespace echoloop {

struct WindowFrame {
  Surface& surface;
  const Screen& screen;
  unsigned int texture = 0;
  const Image& shown;  // in the texture; number 0 = none
  unsigned int compared_texture = 0;
  const Image* compared = nullptr;      // left of the wipe line; null = no comparison
  const FlowTexture& flow;              // over the image
  const MModeStrip& strip;              // drawn where the screen's dock wants it
  const SpectrogramStrip& spectrogram;  // likewise
  const ImagingParams& display;         // window, gamma and map
  const DisplayParams& display_a;       // of `compared`
  const MatchedLevels& matched;         // of `shown`, in a comparison
  bool touched = false;                 // input came just now, or something moves by itself
  bool other_source = false;            // `shown` is the last image of the source before
  bool fresh = false;                   // an image came that was not drawn before
};

}  // namespace echoloop
