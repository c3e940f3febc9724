// The inspector's plots, one function each: a cell of the dock, and the pixel that is looked at. UI thread only.
#pragma once

#include <array>
#include <map>
#include <string>

#include "gui/panels/panels.h"
#include "gui/view/channel_map.h"

namespace echoloop {

// The raw lines of one transmit with the pixel's delay curve.
void draw_raw_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// The channels before summation, as waves about the pixel's time: what is in phase makes level stripes.
void draw_aligned_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// The beamformed line through the pixel.
void draw_level_line(Ui& ui, const Rect& cell, const Inspection& pixel, const DisplayParams& display);
// Spectra of the nearest element's line, before and after the filter, and the filter.
void draw_spectrum(Ui& ui, const Rect& cell, const Inspection& pixel);

// What the adaptive method compares: none, one or two plots side by side.
int method_plots(const MethodView& view);
// Plot number `index` of them. A drag sets how many frequencies or lags count.
void draw_method_plot(Ui& ui, const Rect& cell, const MethodView& view, int index, FormationParams& params);

// Of the frame that is inspected; before the first answer the source's.
inline const Acquisition* inspected_acquisition(const UiState& state) {
  return (state.image.inspector.acquisition != nullptr ? state.image.inspector.acquisition : state.source.acquisition)
      .get();
}

// "6 of 11, +2.0°"
std::string transmit_text(const Acquisition* acquisition, int transmit);
// Below its picture, the longest first: "source x 5.0 mm", "x 5.0 mm", "1".
std::array<std::string, 3> transmit_labels(const Acquisition* acquisition, int transmit);

// Small images in rows: as large as lets all of them be seen, otherwise as lets a whole one be seen.
struct Tiles {
  int across = 1;
  float width = 0, height = 0;  // of an image
  float row = 0;                // from one row to the next: its image, its caption, the gap
};
// In pixels: `room` without what stands around the pictures; `caption` below each; none narrower than `least` unless
// that is all there is. `ratio`: height over width of what they show.
Tiles lay_out_tiles(const Rect& room, int count, float ratio, float caption, float gap, float least);

// What each transmit makes alone; a click chooses it.
class TransmitImages {
 public:
  void draw(PanelContext& c, const Rect& cell);

 private:
  struct Shown {
    std::shared_ptr<const TransmitImage> of;
    DisplayParams display;
    ColorTexture texture;
    float height_per_width = 1;
  };
  void update(Shown& shown, const std::shared_ptr<const TransmitImage>& picture, const DisplayParams& display);

  std::map<int, Shown> shown_;  // those in view
  float scroll_ = 0;
  int followed_ = -1;  // transmit that was in view when it was chosen
};

}  // namespace echoloop
