// What analyses lay over an image that is saved, in figures and in images alike; the window draws the same itself
// (gui/view/analysis_layers.h). Any thread. No ImGui.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/results/live_images.h"
#include "gui/overlay/image_place.h"
#include "gui/state/analysis_views.h"
#include "gui/state/stream_text.h"

namespace echoloop {

// Null: none.
struct ImageOverlays {
  const FlowImage* flow = nullptr;      // over the pixels, or in their place
  const ObjectView* objects = nullptr;  // outlines, with the numbers of the largest
};

[[nodiscard]] ImageOverlays overlays_of(const AnalysisViews& views);
// Copies of them, for a thread that draws them later.
class KeptOverlays {
 public:
  explicit KeptOverlays(const AnalysisViews& views);
  [[nodiscard]] ImageOverlays get() const { return {.flow = flow_.get(), .objects = view_.get()}; }

 private:
  std::shared_ptr<const FlowImage> flow_;
  std::shared_ptr<const ObjectImage> objects_;
  std::shared_ptr<const ObjectView> view_;
};
// Takes the last results of a run into `views`, as far as they belong to `image`.
void take_last(AnalysisViews& views, LiveImages& live, const Image& image);

// Of an image shown with `display`, for its caption.
[[nodiscard]] std::vector<std::string> overlay_words(const ImageOverlays& overlays, const ImagingParams& display);
// Of the saved image `shown`, for the message line: overlays of another frame. Empty: there are none.
[[nodiscard]] std::string overlay_note(const ImageOverlays& overlays, const Image& shown, const FrameNumbers& numbers);

[[nodiscard]] bool has_outlines(const ImageOverlays& overlays);
void draw_outlines(Canvas& canvas, const ImageOverlays& overlays, const ImagePlace& place, const MarkLook& look);
void draw_labels(Canvas& canvas, const ImageOverlays& overlays, const ImagePlace& place, const MarkLook& look,
                 LabelRoom room);

}  // namespace echoloop
