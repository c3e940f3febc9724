// Overlays of analyses on saved images and figures; the window draws its own (gui/view/analysis_layers.h). Any thread.
// No ImGui.
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
#include "gui/overlay/map_overlay.h"
#include "gui/state/analysis_views.h"
#include "gui/state/stream_text.h"
#include "gui/state/ui_state.h"
#include "render/canvas.h"

namespace echoloop {

// Position of an image on a canvas, and style of lines over it. Any thread. No ImGui.

// Map from points of the image plane to the canvas.
struct ImagePlace {
  CanvasRect box;  // its edges are the grid's end points
  Grid grid;
  Mirrored mirrored = Mirrored::off;

  [[nodiscard]] CanvasPoint at(PlanePoint p) const {
    const auto share = [](double v, double from, double to) { return to > from ? (v - from) / (to - from) : 0.0; };
    const double across = share(p.x_m, grid.x0_m, grid.x1_m);
    return {box.x0 + (mirrored == Mirrored::on ? 1.0 - across : across) * box.width(),
            box.y0 + share(p.z_m, grid.z0_m, grid.z1_m) * box.height()};
  }
};

struct MarkLook {  // in units of the canvas
  double line;     // thickness
  double halo;     // width of the dark outline, on each side of the line
  double em;       // of numbers
};

// Space for labels: inside `within`, outside all of `taken`.
struct LabelRoom {
  CanvasRect within;
  std::vector<CanvasRect> taken = {};
};

// Draws lines with a dark outline.
inline void draw_outlined(Canvas& canvas, const std::vector<CanvasLine>& lines, const MarkLook& look) {
  constexpr double kHalo = 0.67;
  canvas.lines(lines, look.line + 2.0 * look.halo, {kBlack, kHalo});
  canvas.lines(lines, look.line, {ink::kAccent});
}

// Null: none.
struct ImageOverlays {
  const FlowImage* flow = nullptr;       // over the pixels, or replaces them
  const AnalysisViews* views = nullptr;  // all others
  MapOverlayPtr map = nullptr;           // over both
  const LabelMask* mask = nullptr;       // of which only the legend is drawn; its colours are part of the pixels
};

// Reader of an analysis's mailbox for the window. UI thread only.
class AnalysisFollower {
 public:
  virtual ~AnalysisFollower() = default;
  // Sets in `model` the result that belongs to `shown`; once per window frame, after flow.
  virtual void take(Model& model, Edits& edits, const Image& shown) = 0;
};

// Part of an analysis in saved images and figures; functions may be null.
struct AnalysisOverlay {
  // Copies the last result of a run, if it belongs to `image`, to `views`.
  void (*keep_last)(AnalysisViews& views, LiveImages& live, const Image& image) = nullptr;
  std::string (*words)(const ImageOverlays&, const ImagingParams& display) = nullptr;  // empty: none
  std::string (*note)(const ImageOverlays&, const Image& shown, const FrameNumbers& numbers) = nullptr;
  bool (*draws)(const ImageOverlays&) = nullptr;
  void (*draw)(Canvas&, const ImageOverlays&, const ImagePlace&, const MarkLook&) = nullptr;  // if `draws`
  void (*draw_labels)(Canvas&, const ImageOverlays&, const ImagePlace&, const MarkLook&, LabelRoom) = nullptr;
  std::unique_ptr<AnalysisFollower> (*follow)(LiveImages& live) = nullptr;
};

[[nodiscard]] ImageOverlays overlays_of(const AnalysisViews& views);  // `views` must outlive them
// Copies the last results of a run that belong to `image` to `views`.
void take_last(AnalysisViews& views, LiveImages& live, const Image& image);
std::vector<std::unique_ptr<AnalysisFollower>> make_followers(LiveImages& live);

// Returns text on the overlays for the caption of an image shown with `display`.
[[nodiscard]] std::vector<std::string> overlay_words(const ImageOverlays& overlays, const ImagingParams& display);
// Returns a note for the message line on overlays from another frame than the saved image `shown`. Empty: none.
[[nodiscard]] std::string overlay_note(const ImageOverlays& overlays, const Image& shown, const FrameNumbers& numbers);

[[nodiscard]] bool has_outlines(const ImageOverlays& overlays);
void draw_outlines(Canvas& canvas, const ImageOverlays& overlays, const ImagePlace& place, const MarkLook& look);
void draw_labels(Canvas& canvas, const ImageOverlays& overlays, const ImagePlace& place, const MarkLook& look,
                 const LabelRoom& room);

// Assignment of objects to the displayed image: reader of the objects mailbox. Live: the newest ones, which may be a
// little older than the image; for a kept frame only those of that frame with the same parameters. The selected object
// is followed from image to image. UI thread only.

class ObjectFollower final : public AnalysisFollower {
 public:
  explicit ObjectFollower(Mailbox<ObjectImage>& box) : box_(box) {}

  void take(Model& model, Edits& edits, const Image& shown) override;

 private:
  [[nodiscard]] bool belongs(const ObjectImage& found, const Model& model, const Edits& edits,
                             const Image& shown) const;
  void look_at(ObjectView& view, ObjectPick& picked, const ObjectImage& found);
  static void clear(ObjectView& view, ObjectPick& picked);

  Mailbox<ObjectImage>& box_;
  std::int64_t from_ns_ = 0;  // earlier results are obsolete
  std::uint64_t number_ = 0;  // of the image in the view
  std::int64_t ready_ns_ = 0;
  int selected_ = 0;  // last selection in the view
  std::optional<FoundObject> followed_;
};

// Returns the reason for showing no objects, whatever the mailbox contains; empty: they are shown.
[[nodiscard]] std::string_view why_no_objects(const Model& model, const Edits& edits);

}  // namespace echoloop
