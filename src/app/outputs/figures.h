// Figures that leave the program: of the last image of a run, and of the window's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/comparison.h"
#include "app/outputs/measure_image.h"
#include "core/results/live_images.h"
#include "gui/figure/figure_file.h"
#include "gui/state/measured.h"
#include "gui/state/ui_state.h"

namespace echoloop {

struct FigureOrder {
  std::vector<FigureImage> images;  // one, or A and B; their titles are filled in
  std::string source;               // its name, for the caption
  std::string named;                // as the user named it
  std::string command;              // that reproduces the image, or A and B
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  std::vector<FigureStrip> strips = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string note = {};  // last sentence of the caption
};
// Throws Error.
void write_figure_of(const std::filesystem::path& path, FigureOrder order);

// An image of a figure that will be made.
struct FigurePlan {
  const Acquisition& acquisition;
  const ImagingParams& params;
};
// Throws Error where the figure of such images would be too large, without marks and curves. `source`: as named.
void require_figure_size(const OutputOptions& options, const std::string& source,
                         const std::vector<FigurePlan>& images);

struct FigureA {
  const ImageA* image = nullptr;  // null: the figure is of one image
  const MeasuredRun* run = nullptr;
};
// --figure, of the last image (with a host copy), with the last flow and objects in `live`; with A beside it, and then
// with a description in a file of its own. Throws Error.
void write_last_figure(const OutputOptions& options, const SourceInfo& source, LiveImages& live, const Image& image,
                       const MeasuredRun& run, const FigureA& a);

}  // namespace echoloop
