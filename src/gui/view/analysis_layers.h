// What analyses show over the image in the window, in its caption and in the pointer's read-out, one row each. A new
// one is a file with its row, and its name in the table. UI thread only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/overlay/caption.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/analysis_views.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct LayerPointer {
  PlanePoint at;
  double level_db;  // of the image there; not a number outside
  const ImagingParams& display;
  const ObjectPick& picked;
};

// Each may be null.
struct AnalysisLayer {
  void (*add_caption)(const AnalysisViews&, std::vector<CaptionItem>& items) = nullptr;
  std::string (*read_out)(const AnalysisViews&, const LayerPointer&) = nullptr;              // empty: nothing there
  void (*draw)(Ui&, const ImageLayout&, const AnalysisViews&, const ObjectPick&) = nullptr;  // over the image's pixels
  // Where the free pointer is on the image, and where it clicked; nothing: it is not, did not.
  void (*point)(const AnalysisViews&, ObjectPick&, std::optional<PlanePoint> pointer,
                std::optional<PlanePoint> click) = nullptr;
};

std::span<const AnalysisLayer* const> analysis_layers();

// The Doppler gate on the image: the beam through it, its two ends, the line of the flow's angle; and the mouse that
// places, moves and stretches it. UI thread only.

class SampleVolumeTool {
 public:
  // With the gate tool a press places the gate, with any tool the gate itself can be dragged, and its ends. True: the
  // press was the gate's. Before everything else that takes the mouse on the image.
  bool use(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m);
  // True once after the parameters have changed.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  enum class Grip { none, whole, shallow_end, deep_end };
  [[nodiscard]] static Grip grip_at(const ImageLayout& layout, const ImagingParams& p, PlanePoint at, double reach_m);

  Grip held_ = Grip::none;
  PlanePoint offset_{0.0, 0.0};  // from the pointer to the gate's middle
  bool changed_ = false;
};

void draw_guide(const Ui& ui, const ImageLayout& layout, const GuideLine& line);
void draw_gate(const Ui& ui, const ImageLayout& layout, const ImagingParams& params);

// What stands beside the image about flow: its colour bar, and words for caption and read-out. UI thread only.

// The bar of power (decibels from the threshold up) or velocity (up to the aliasing limit on both sides) of the flow
// image `flow`, shown with `params`. `labels`: large for the projector.
void draw_flow_bar(Ui& ui, const ImageLayout& layout, const FlowImage& flow, const ImagingParams& params,
                   Type labels = Type::small);

// "0.05" s, "3.2" s.
std::string flow_age_text(double age_s);
// For a caption: value and unit of a flow image's age, or, where it ends with the frame on screen, its length.
std::pair<std::string, std::string> flow_age(const FlowImage& flow, double age_s);
// What the overlay shows at a point where the picture has `picture_db`: velocity, or power. Empty: nothing.
std::string flow_at(const FlowImage& flow, const ImagingParams& params, PlanePoint point, double picture_db);

// The level of the low-rank image at a point; not a number outside.
double low_rank_at(const FlowImage& flow, PlanePoint point);

}  // namespace echoloop
