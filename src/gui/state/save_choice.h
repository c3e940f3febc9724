// How images are saved, as the save panel shows it and as the window remembers it between runs. Plain values.
#pragma once

#include <string>

#include "gui/state/figure_size.h"

namespace echoloop {

enum class SaveFormat { png, svg, pdf, image_only };  // image only: a PNG of the image's own pixels
// Pixels of a grid step; or the width of the figure; or the scale of the image plane.
enum class SaveSize { x1, x2, x3, x4, width, scale };

struct SaveChoice {
  SaveFormat format = SaveFormat::png;
  SaveSize size = SaveSize::x2;
  double width_mm = 170.0;
  double mm_per_cm = 20.0;  // of the image plane
  double dpi = 300.0;       // of both
  PageGround ground = PageGround::white;
  std::string folder = {};  // empty: the user's own, by the kind of file
  std::string name = {};    // without its ending; empty: of recording, frame and time

  [[nodiscard]] FigureSize figure_size() const {
    if (size == SaveSize::width) return {.by = FigureSizing::width, .value = width_mm, .dpi = dpi};
    if (size == SaveSize::scale) return {.by = FigureSizing::scale, .value = mm_per_cm, .dpi = dpi};
    return {.by = FigureSizing::factor, .value = 1.0 + static_cast<double>(size), .dpi = kScreenDpi};
  }
  friend bool operator==(const SaveChoice&, const SaveChoice&) = default;
};

// Where the next image goes; filled by the application.
struct SavePlace {
  std::string folder;        // in full
  std::string name;          // in use unless the user chooses one
  std::string problem = {};  // why the folder cannot be used; empty: it can
  std::string offer = {};    // a folder that can
  std::string exists = {};   // the file of that name that is kept; empty: there is none
};

}  // namespace echoloop
