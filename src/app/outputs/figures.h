// Figures that leave the program: of the last image of a run, and of the window's.
#pragma once

#include <filesystem>
#include <string>

#include "app/options/options.h"
#include "core/results/live_images.h"
#include "gui/figure/figure_file.h"
#include "gui/state/measured.h"
#include "gui/state/ui_state.h"

namespace echoloop {

struct FigureOrder {
  std::vector<FigureImage> images;  // one, or A and B; their titles are filled in
  std::string source;               // its name, for the caption
  std::string named;                // as the user named it, for the command that reproduces the image
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  std::vector<FigureStrip> strips = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string note = {};  // last sentence of the caption
};
// Throws Error.
void write_figure_of(const std::filesystem::path& path, FigureOrder order);

// Marks and their values on the figure's image; no values: lengths, angles and areas only.
struct FigureMarks {
  const Marks& marks;
  const Measured* measured = nullptr;
};
// Throws Error where the figure of an image with these parameters would be too large, without marks and curves.
void require_figure_size(const Options& options, const Acquisition& acquisition, const ImagingParams& params);
// --figure, of the last image (with a host copy), with the last flow and objects in `live`. Throws Error.
void write_last_figure(const Options& options, const SourceInfo& source, const Image& image, LiveImages& live,
                       const FigureMarks& marked);

}  // namespace echoloop
