// Output images: the image as displayed, and the whole window, with or without a display.
#pragma once

#include <filesystem>

#include "app/options/options.h"
#include "app/outputs/comparison.h"
#include "app/outputs/doubts.h"
#include "app/outputs/output_files.h"
#include "app/outputs/report.h"
#include "app/stream/session.h"
#include "core/results/image.h"
#include "core/timing_trace.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/state/marks.h"

namespace echoloop {

// A finished run with an image.
struct ImagedRun {
  const OutputOptions& options;
  const WindowOptions& window;  // for a screenshot
  const SourceInfo& info;
  Source& source;
  const std::string& named;  // name of the source, as given by the user
  const Backend& backend;
  Session& session;
  LiveImages& live;
  const Marks& marks;
  const std::vector<Doubt>* doubts;  // about the recording; null: not measured
};
// Writes --image-out, --png, --png16, --measurements and --figure of an image with a host copy. `a`: of a comparison;
// null: none.
void write_image_files(const ImagedRun& run, const Image& image, const ImageA* a, FileWriter& writer);
// Returns the file of the method's source beside a saved image, NAME.method.h or NAME.method.py; empty: the image is
// not of an own method.
std::filesystem::path method_source_file(const std::filesystem::path& image, const ImagingParams& params);
void write_method_source(const std::filesystem::path& image, const ImagingParams& params);  // if there is one

inline constexpr const char* kLevelsOption = "--png16 levels.png";  // for the command in a 16 bit PNG
void write_levels(const std::filesystem::path& path, const Image& image, const std::string& source,
                  const std::string& command);

// Writes the image with the display parameters of `display`, true aspect ratio, at least one PNG pixel per finer grid
// step, with its overlays, the lines of analyses, and the flow with its colour bar.
void write_picture(const std::filesystem::path& path, const Image& image, const ImagingParams& display,
                   const Marks& marks = {}, const ImageOverlays& over = {});

// Writes the window as it would show `image` (with host copy) with the last results of the analyses and the marks,
// drawn offscreen. Throws Error if OpenGL 4.5 is not available.
void write_screenshot(const ImagedRun& run, const Image& image, const TimingTrace& trace, const RunTotals& totals);

}  // namespace echoloop
