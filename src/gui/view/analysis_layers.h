// Parts of analyses over the image in the window, in its caption and in the pointer's read-out, one row each. UI thread
// only.
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
  double level_db;  // level of the image there; NaN outside
  const ImagingParams& display;
  const ObjectPick& picked;
};

// Functions of a layer; each may be null.
struct AnalysisLayer {
  void (*add_caption)(const AnalysisViews&, std::vector<CaptionItem>& items) = nullptr;
  std::string (*read_out)(const AnalysisViews&, const LayerPointer&) = nullptr;  // empty: none there
  // Draws over the image's pixels; `numbers`: size of numbers of objects.
  void (*draw)(Ui&, const ImageLayout&, const AnalysisViews&, const ObjectPick&, Type numbers) = nullptr;
  // Sets the position of the free pointer on the image, and of its click; nullopt: none.
  void (*point)(const AnalysisViews&, ObjectPick&, std::optional<PlanePoint> pointer,
                std::optional<PlanePoint> click) = nullptr;
};

std::span<const AnalysisLayer* const> analysis_layers();

// Doppler gate on the image: the beam through it, its two ends, the line of the flow angle; and the mouse input that
// places, moves and stretches it. UI thread only.

class SampleVolumeTool {
 public:
  // Places the gate on a press with the gate tool; drags the gate and its ends with this tool or the pointer. Returns
  // true if it used the press. Call before everything else that uses the mouse on the image.
  bool use(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m);
  // Returns true once after the parameters have changed.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  enum class Grip { none, whole, shallow_end, deep_end };
  [[nodiscard]] static Grip grip_at(const ImageLayout& layout, const ImagingParams& p, PlanePoint at, double reach_m);

  Grip held_ = Grip::none;
  PlanePoint offset_{0.0, 0.0};  // offset from the pointer to the gate's centre
  bool changed_ = false;
};

void draw_guide(const Ui& ui, const ImageLayout& layout, const GuideLine& line);
void draw_gate(const Ui& ui, const ImageLayout& layout, const ImagingParams& params);

// Display of flow next to the image: its colour bar, and texts for caption and read-out. UI thread only.

// Draws the bar of power (decibels from the threshold up) or velocity (up to the aliasing limit on both sides) of the
// flow image `flow`, shown with `params`. `labels`: large for the projector.
void draw_flow_bar(Ui& ui, const ImageLayout& layout, const FlowImage& flow, const ImagingParams& params,
                   Type labels = Type::small);

// Returns "0.05" s, "3.2" s.
std::string flow_age_text(double age_s);
// Returns value and unit of a flow image's age for a caption; its length if it ends with the frame on screen.
std::pair<std::string, std::string> flow_age(const FlowImage& flow, double age_s);
// Returns the overlay's velocity or power at a point where the image has `picture_db`. Empty: none.
std::string flow_at(const FlowImage& flow, const ImagingParams& params, PlanePoint point, double picture_db);

// Returns the level of the low-rank image at a point; NaN outside.
double low_rank_at(const FlowImage& flow, PlanePoint point);

}  // namespace echoloop
