// The two lines below a film's picture: whose it is, which frame, and what formed it.
#pragma once

#include "core/results/image.h"
#include "gui/state/film_look.h"
#include "render/text_rasterizer.h"

namespace echoloop {

struct CaptionPlace {  // pixels
  float left, right;
  float y;  // of the first line
};

// What does not fit in the second line is left out from its end; the source's name gives way to frame and time.
void draw_film_caption(RgbPicture& picture, TextRasterizer& rasterizer, const CaptionPlace& place, const FilmLook& film,
                       const Image& image);

}  // namespace echoloop
