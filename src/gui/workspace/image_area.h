// Image, or both images of a comparison, with everything over and around them: rulers, colour bars, captions, marks,
// outlines, pointer; and their mouse input. The pixels are drawn by the viewer, below. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/results/image.h"
#include "gui/docks/docks.h"
#include "gui/overlay/caption.h"
#include "gui/panels/panels.h"
#include "gui/state/focus.h"
#include "gui/state/marks.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"
#include "gui/view/analysis_layers.h"
#include "gui/view/image_view.h"
#include "gui/view/map_layer.h"
#include "gui/view/mask_layer.h"
#include "gui/workspace/doubt_card.h"

namespace echoloop {

// Mouse input on the image: the wheel zooms about the pointer, dragging pans, tools draw and change marks or set the
// inspected point. UI thread only.

class ImageInteraction {
 public:
  // Call once a frame, after everything else that uses the mouse on the image. Returns true while the pointer is on it.
  bool use(Ui& ui, const ImageLayout& layout, Edits& edits, Type letters);
  // Draws gate and marks on an image with these measurements.
  void draw(Ui& ui, const ImageLayout& layout, const Edits& edits, const Measured& measured, Type letters) const;
  // Returns true if the key had an effect.
  bool key(Edits& edits, Commands& commands, const KeyPress& press);
  bool escape(Edits& edits) { return editor_.escape(edits.marks); }
  // Return positions of this frame: of the pointer if unused (by no tool, no mark), and of a click there without
  // dragging.
  [[nodiscard]] std::optional<PlanePoint> free_pointer() const { return free_pointer_; }
  [[nodiscard]] std::optional<PlanePoint> free_click() const { return free_click_; }
  // Returns true once after the mouse has changed the gate.
  bool take_gate_changed() { return gate_.take_changed(); }
  // Cancels presses on the image.
  void forget() { editor_ = {}; }

 private:
  void zoom_and_pan(const Hit& hit, const ImageLayout& layout, Edits& edits);
  void use_tool(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m, int chip);

  MarkEditor editor_;
  std::optional<PlanePoint> free_pointer_, free_click_;
  bool free_press_ = false;  // press without effect: a click, unless the mouse moves
  SampleVolumeTool gate_;
  bool panning_ = false;         // with the left button
  bool middle_panning_ = false;  // with the middle one
};

// Letters of the labels above two compared images, and their height at scale 1.
enum class LabelLetters { small, large };  // large: for the projector
[[nodiscard]] constexpr float label_room(LabelLetters letters) { return letters == LabelLetters::small ? 22 : 34; }

class ImageArea {
 public:
  void begin_frame();
  // Draws in the window, with rulers, bars and captions.
  void draw(PanelContext& c, const SceneInput& input, const Rect& area);
  // Draws the last image of the previous source: dimmed, without these, while the first one is awaited.
  void draw_awaited(PanelContext& c, const SceneInput& input, const Rect& area);
  // Draws a coarse image before one that is slow: no marks, no values.
  void draw_coarse(PanelContext& c, const SceneInput& input, const Rect& area);
  // Draws the card of Model::doubts in its place.
  void draw_doubt(PanelContext& c, const Rect& area) { doubt_.draw(c, area); }
  // Draws in the presentation, without rulers, bars and captions.
  void draw_presented(PanelContext& c, const SceneInput& input, const Rect& area);
  // Sets `inspected`, if unset, to the centre of the visible part.
  void inspect_somewhere(Edits& edits, const SceneInput& input) const;
  // Handles a key outside the presentation; returns true if it had an effect.
  bool key(Edits& edits, Commands& commands, const KeyPress& press) { return interaction_.key(edits, commands, press); }
  void forget() {
    interaction_.forget();
    eased_ = {};
  }
  void place_flow_bar(const Rect& bar) { layout_.flow_bar = bar; }

  [[nodiscard]] const ImageLayout& layout() const { return layout_; }     // empty image: none drawn
  [[nodiscard]] const ImageLayout& last_layout() const { return last_; }  // of the previous frame
  [[nodiscard]] const ImageLayout& side_a() const { return side_a_; }     // empty image: not side by side
  [[nodiscard]] float wipe_x() const { return wipe_x_; }                  // border between A and B

 private:
  enum class Place { window, presentation };

  static LabelLetters letters_of(Place place) {
    return place == Place::presentation ? LabelLetters::large : LabelLetters::small;
  }
  void lay_out(PanelContext& c, const SceneInput& input, Rect area, Place place);
  [[nodiscard]] bool beside() const { return side_a_.image.width() > 0; }
  [[nodiscard]] const ImageLayout& pointed_layout();
  [[nodiscard]] ImageViewContext view_of(PanelContext& c, const SceneInput& input);
  [[nodiscard]] ImageViewContext view_of_a(PanelContext& c, const SceneInput& input);
  bool draw_color_bars(PanelContext& c, const SceneInput& input);
  void draw_waiting_for_a(const PanelContext& c, const SceneInput& input) const;
  void draw_side_a(PanelContext& c, const SceneInput& input, const Rect& area);
  void draw_comparison(PanelContext& c, const SceneInput& input, Place place);
  void draw_signals(PanelContext& c, const SceneInput& input);
  void draw_masks(PanelContext& c, const SceneInput& input, Type letters);
  void draw_over(PanelContext& c, const SceneInput& input, Place place);
  bool draw_marks(PanelContext& c, const SceneInput& input, Place place);
  void draw_pointers(PanelContext& c, const SceneInput& input);

  ImageLayout layout_, last_;
  EasedView eased_;                       // of layout_
  ImageLayout side_a_;                    // layout of A; that of B is layout_
  CompareSide pointed_ = CompareSide::b;  // side of the mouse, or of its press
  struct {
    float a = 0, b = 0;
  } ends_;  // right limits of the captions, left of other text in their lines
  ImageInteraction interaction_;
  bool inspect_ = false;  // the inspector opens when the mouse button is released
  float wipe_x_ = 0;
  Rect traces_;
  DoubtCardView doubt_;
  MapLayer map_layer_;
  MaskLayer mask_a_, mask_b_;
};

// Progress of the next image, if slow enough to be shown: a thin line between image and caption, with elapsed and
// expected time; and the page of a source whose first image is awaited. UI thread only.

struct WorkProgress {
  std::string text;    // "2 of about 6 s"; "2 s" if the remaining time is unknown
  double share = 0.0;  // finished share, 0 .. 1
};
// Returns nullopt within kWorkSeen_ns of `since_ns`, or if that is 0.
[[nodiscard]] std::optional<WorkProgress> long_work(std::int64_t since_ns, double remaining_s, std::int64_t now_ns);

// Draws the progress; returns the left end of its text, which is at the right end of the caption.
float draw_long_work(const Ui& ui, const ImageLayout& layout, float right, const WorkProgress& work);

// Returns "Computing the first image of RFdata1.mat, Minimum variance: 3 of about 8 s".
[[nodiscard]] std::string first_image_text(const Model& model, const Edits& edits, const WorkProgress& work);
// Draws the button that restores the previous source, right of the title, which ends at x. Returns its left end.
float draw_return(PanelContext& c, const ImageLayout& layout, float x, float y);
// Draws over the last image of the previous source, which has neither rulers nor values.
void draw_awaited_image(PanelContext& c, const ImageLayout& layout, const AwaitedImage& awaited);

// Comparison: above each side its letter, the name of its recording and the differing parameters; and the wipe line
// with its handle, A left and B right of it at the same millimetre scale. The pixels are drawn by WindowRenderer. UI
// thread only.

struct LabelsContext {
  Ui& ui;
  const Model& model;
  const Image& a;
  const Image& b;
  const ImageLayout* layout_a;  // null: left of a wipe line
  const ImageLayout& layout_b;
  LabelLetters letters = LabelLetters::small;
};
// Draws the texts that fit, and all in a tooltip.
void draw_compare_labels(const LabelsContext& c);

struct WipeContext {
  Ui& ui;
  const ImageLayout& layout;
  Edits& edits;
  Commands& commands;
};

float wipe_x(const ImageLayout& layout, float share);  // whole pixels

// Draws line and handle; call before everything that uses the mouse on the image.
void draw_wipe(const WipeContext& c);

// Area below the image with one open dock, and its edge, a splitter; right of an image that is much higher than wide,
// or in its place if the window is too narrow for both. UI thread only.

class DockArea {
 public:
  static constexpr float kFolded = 30;  // height of its line in a low window, at scale 1

  DockArea();

  // Returns its rectangle: at the bottom of `area`; at its right, or all of it, for an image of a small `aspect` (width
  // over height) with `bars` next to it; empty when closed, a line with a notice in a low window.
  Rect place(Ui& ui, ViewSettings& view, Rect& area, bool compact, double aspect, int bars);
  void draw(const DockScene& scene, const Rect& r);
  void close(Dock but = Dock::none);  // closes all docks except `but`

  // Draws the docks of the presentation, one below the other; without much room only one, selected by a tap.
  void draw_presented(const DockScene& scene, const Rect& area);

 private:
  static Rect folded(const Ui& ui, Rect& area);
  Rect beside(Ui& ui, ViewSettings& view, Rect& area, double aspect, int bars);
  Rect alone(Ui& ui, const ViewSettings& view, Rect& area);  // dock or image, by a choice above
  void choose_presented(PanelContext& c, const Rect& row, std::span<const std::size_t> docks);

  std::array<std::unique_ptr<DockContent>, kDocks.size()> contents_;  // by index in kDocks
  std::size_t presented_ = 0;                                         // index of the presented dock if only one fits
  enum class Alone { dock, image } alone_ = Alone::dock;              // of `alone_of_` and the image, if one fits
  Dock alone_of_ = Dock::none;
};

// Draws the inspected pixel on the image, or the line.
void draw_inspected(const Ui& ui, const ImageLayout& layout, const Image& image, PlanePoint at, Dock dock);

}  // namespace echoloop
