// What analyses lay over an image that is saved, in figures and in images alike; the window draws the same itself
// (gui/view/analysis_layers.h). Any thread. No ImGui.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/grid.h"
#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "core/results/live_images.h"
#include "gui/state/analysis_views.h"
#include "gui/state/stream_text.h"
#include "gui/state/ui_state.h"
#include "render/canvas.h"

namespace echoloop {

// Where an image lies on a canvas, and how lines over it look. Any thread. No ImGui.

// Where points of the image plane lie on the canvas.
struct ImagePlace {
  CanvasRect box;  // its edges are the grid's end points
  Grid grid;

  [[nodiscard]] CanvasPoint at(PlanePoint p) const {
    const auto share = [](double v, double from, double to) { return to > from ? (v - from) / (to - from) : 0.0; };
    return {box.x0 + share(p.x_m, grid.x0_m, grid.x1_m) * box.width(),
            box.y0 + share(p.z_m, grid.z0_m, grid.z1_m) * box.height()};
  }
};

struct MarkLook {  // in units of the canvas
  double line;     // thickness
  double halo;     // of the dark ground, on each side of the line
  double em;       // of numbers
};

// Of labels: within this, where nothing of `taken` is.
struct LabelRoom {
  CanvasRect within;
  std::vector<CanvasRect> taken = {};
};

// On a dark ground.
inline void draw_outlined(Canvas& canvas, const std::vector<CanvasLine>& lines, const MarkLook& look) {
  constexpr double kHalo = 0.67;
  canvas.lines(lines, look.line + 2.0 * look.halo, {kBlack, kHalo});
  canvas.lines(lines, look.line, {ink::kAccent});
}

// Null: none.
struct ImageOverlays {
  const FlowImage* flow = nullptr;      // over the pixels, or in their place
  const ObjectView* objects = nullptr;  // outlines, with the numbers of the largest
};

[[nodiscard]] ImageOverlays overlays_of(const AnalysisViews& views);  // which outlives them
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

// Which objects belong to the image on screen: the reader of the objects mailbox. Live it is the newest one,
// which may be a little older than the image; of a kept frame only that frame's own, with the same parameters. It
// follows the selected object from image to image. UI thread only.

class ObjectFollower {
 public:
  explicit ObjectFollower(Mailbox<ObjectImage>& box) : box_(box) {}

  // Once a window frame, after flow: sets what belongs to `shown`.
  void take(Model& model, Edits& edits, const Image& shown);

 private:
  [[nodiscard]] bool belongs(const ObjectImage& found, const Model& model, const Edits& edits,
                             const Image& shown) const;
  void look_at(ObjectView& view, ObjectPick& picked, const ObjectImage& found);
  static void clear(ObjectView& view, ObjectPick& picked);

  Mailbox<ObjectImage>& box_;
  std::int64_t from_ns_ = 0;  // what was ready before is of another time
  std::uint64_t number_ = 0;  // of what the view was made of
  std::int64_t ready_ns_ = 0;
  int selected_ = 0;  // as the view had it
  std::optional<FoundObject> followed_;
};

// Why no objects are shown, whatever is in the mailbox; empty: they are.
[[nodiscard]] std::string_view why_no_objects(const Model& model, const Edits& edits);

}  // namespace echoloop
