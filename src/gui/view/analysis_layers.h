// What analyses show over the image in the window, in its caption and in the pointer's read-out, one row each. A new
// one is a file with its row, and its name in the table. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/overlay/caption.h"
#include "gui/state/analysis_views.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct LayerPointer {
  PlanePoint at;
  double level_db;  // of the image there; not a number outside
  const ImagingParams& display;
};

// Each may be null.
struct AnalysisLayer {
  void (*add_caption)(const AnalysisViews&, std::vector<CaptionItem>& items) = nullptr;
  std::string (*read_out)(const AnalysisViews&, const LayerPointer&) = nullptr;  // empty: nothing there
  void (*draw)(Ui&, const ImageLayout&, const AnalysisViews&) = nullptr;         // over the image's pixels
  // Where the free pointer is on the image, and where it clicked; nothing: it is not, did not.
  void (*point)(AnalysisViews&, std::optional<PlanePoint> pointer, std::optional<PlanePoint> click) = nullptr;
};

std::span<const AnalysisLayer* const> analysis_layers();

}  // namespace echoloop
