// What a film shows beside its images: source, note, display. Plain values; any thread.
#pragma once

#include <string>

#include "core/grid.h"
#include "core/params.h"
#include "core/sample_log.h"
#include "gui/state/stream_text.h"

namespace echoloop {

enum class FilmFlow { none, shown };

struct FilmLook {
  Grid grid;              // of the first image: decides the film's size
  ImagingParams display;  // window, gamma and map of all images
  std::string source;
  std::string note;  // e.g. "20× slower"; may be empty
  FilmFlow flow = FilmFlow::none;
  FrameNumbers numbers = {};
  SampleLogPtr samples = {};  // of the source; null: nothing is said of its samples
};

}  // namespace echoloop
