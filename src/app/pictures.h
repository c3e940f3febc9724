// The program's pictures: the image as it is displayed, and the whole window, with or without a display.
#pragma once

#include <filesystem>

#include "app/open_source.h"
#include "app/options.h"
#include "app/report.h"
#include "app/session.h"
#include "core/image.h"
#include "core/timing_trace.h"

namespace echoloop {

// The image as the display parameters of `display` show it, aspect true, one pixel of the finer grid step or more a PNG
// pixel.
void write_picture(const std::filesystem::path& path, const Image& image, const ImagingParams& display);

// The window as it would show `image` (with host copy), drawn offscreen. Throws Error when no OpenGL 4.5 can be had.
void write_screenshot(const Options& options, const OpenedSource& opened, const Session& session,
                      const Backend& backend, const Image& image, const TimingTrace& trace, const RunTotals& totals);

}  // namespace echoloop
