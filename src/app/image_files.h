// The program's pictures: the image as it is displayed, and the whole window, with or without a display.
#pragma once

#include <filesystem>

#include "app/opening/open_source.h"
#include "app/options/options.h"
#include "app/outputs/report.h"
#include "app/stream/session.h"
#include "core/results/flow_image.h"
#include "core/results/image.h"
#include "core/timing_trace.h"
#include "gui/state/marks.h"
#include "gui/state/structure_view.h"

namespace echoloop {

// --image-out, --png and --png16 of an image with a host copy. `source`: as the user named it.
void write_image_files(const Options& options, const Image& image, const Backend& backend, const std::string& source);
void write_levels(const std::filesystem::path& path, const Image& image, const std::string& source);  // 16 bit PNG

// The image as the display parameters of `display` show it, aspect true, one pixel of the finer grid step or more a PNG
// pixel, with what is drawn on it, outlines of objects, and the flow over it with its colour bar (null: none).
void write_picture(const std::filesystem::path& path, const Image& image, const ImagingParams& display,
                   const Marks& marks = {}, const FlowImage* flow = nullptr, const StructureView* objects = nullptr);

// The window as it would show `image` (with host copy), drawn offscreen. Throws Error when no OpenGL 4.5 can be had.
void write_screenshot(const Options& options, const OpenedSource& opened, const Session& session,
                      const Backend& backend, const Image& image, const TimingTrace& trace, const RunTotals& totals);

}  // namespace echoloop
