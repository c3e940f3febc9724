// The image, or both images of a comparison, with all that lies over and beside them: rulers, colour bars, captions,
// marks, outlines, pointer; and the mouse there. The pixels are drawn by the viewer, below. UI thread only.
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

namespace echoloop {

// The mouse on the image: wheel zooms about the pointer, dragging pans, tools draw and change marks or choose where
// the inspector looks. UI thread only.

class ImageInteraction {
 public:
  // Once a frame, after everything else that takes the mouse on the image. Draws the marks too. True while the
  // pointer is on the image.
  bool use(Ui& ui, const ImageLayout& layout, Edits& edits);
  // What use() draws, on the image beside; the mouse is not there.
  void draw_again(Ui& ui, const ImageLayout& layout, const Edits& edits) const;
  // True when the key meant something.
  bool key(Edits& edits, Commands& commands, const KeyPress& press);
  bool escape(Edits& edits) { return editor_.escape(edits.marks); }
  // Of this frame: where the pointer is and nothing else wants it (no tool, no mark), and where it clicked there,
  // without dragging.
  [[nodiscard]] std::optional<PlanePoint> free_pointer() const { return free_pointer_; }
  [[nodiscard]] std::optional<PlanePoint> free_click() const { return free_click_; }
  // True once after the mouse has changed the gate.
  bool take_gate_changed() { return gate_.take_changed(); }
  // Presses on the image end with it.
  void forget() { editor_ = {}; }

 private:
  void zoom_and_pan(const Hit& hit, const ImageLayout& layout, Edits& edits);
  void use_tool(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m, int chip);

  MarkEditor editor_;
  std::optional<PlanePoint> free_pointer_, free_click_;
  bool free_press_ = false;  // took nothing: a click, unless the mouse moves
  SampleVolumeTool gate_;
  bool panning_ = false;         // with the left button
  bool middle_panning_ = false;  // with the middle one
};

class ImageArea {
 public:
  void begin_frame();
  // In the window, with rulers, bars and captions.
  void draw(PanelContext& c, const SceneInput& input, const Rect& area);
  // The last image of the source before: dimmed, with neither of these, as long as the first one is awaited.
  void draw_awaited(PanelContext& c, const SceneInput& input, const Rect& area);
  // An image that stands in for one that takes long: no marks, no numbers.
  void draw_coarse(PanelContext& c, const SceneInput& input, const Rect& area);
  // In the presentation, without these.
  void draw_presented(PanelContext& c, const SceneInput& input, const Rect& area);
  // Where `inspected` is nowhere yet: in the middle of the visible part.
  void inspect_somewhere(Edits& edits, const SceneInput& input) const;
  // Not in the presentation: true when the key has an effect here.
  bool key(Edits& edits, Commands& commands, const KeyPress& press) { return interaction_.key(edits, commands, press); }
  void forget() { interaction_.forget(); }
  void place_flow_bar(const Rect& bar) { layout_.flow_bar = bar; }

  [[nodiscard]] const ImageLayout& layout() const { return layout_; }     // empty image: none was drawn
  [[nodiscard]] const ImageLayout& last_layout() const { return last_; }  // of the frame before
  [[nodiscard]] const ImageLayout& side_a() const { return side_a_; }     // empty image: not side by side
  [[nodiscard]] float wipe_x() const { return wipe_x_; }                  // where A ends and B begins

 private:
  enum class Place { window, presentation };

  void lay_out(PanelContext& c, const SceneInput& input, const Rect& area, Place place);
  [[nodiscard]] bool beside() const { return side_a_.image.width() > 0; }
  [[nodiscard]] const ImageLayout& pointed_layout();
  [[nodiscard]] ImageViewContext view_of(PanelContext& c, const SceneInput& input);
  [[nodiscard]] ImageViewContext view_of_a(PanelContext& c, const SceneInput& input);
  bool draw_color_bars(PanelContext& c, const SceneInput& input);
  void draw_waiting_for_a(const PanelContext& c, const SceneInput& input) const;
  void draw_side_a(PanelContext& c, const SceneInput& input, const Rect& area);
  void draw_comparison(PanelContext& c, const SceneInput& input, Place place);
  void draw_over(PanelContext& c, const SceneInput& input, Place place);
  bool draw_marks(PanelContext& c);
  void draw_pointers(PanelContext& c, const SceneInput& input);

  ImageLayout layout_, last_;
  ImageLayout side_a_;                    // of A beside B, whose is layout_
  CompareSide pointed_ = CompareSide::b;  // where the mouse is, or was when its button went down
  ImageInteraction interaction_;
  bool inspect_ = false;  // the inspector opens as soon as the mouse button is up
  float wipe_x_ = 0;
};

// The next image, while it takes long enough to be mentioned: a thin line between image and caption, and how long of
// about how long it has taken; and the page of a source whose first image is awaited. UI thread only.

struct WorkProgress {
  std::string text;    // "2 of about 6 s"; "2 s" where the rest is unknown
  double share = 0.0;  // that is done, 0 .. 1
};
// Nothing within kWorkSeen_ns of `since_ns`, or where that is 0.
[[nodiscard]] std::optional<WorkProgress> long_work(std::int64_t since_ns, double remaining_s, std::int64_t now_ns);

// Returns the left end of its text, which stands at the right end of the caption.
float draw_long_work(const Ui& ui, const ImageLayout& layout, float right, const WorkProgress& work);

// "Computing the first image of RFdata1.mat, Minimum variance: 3 of about 8 s".
[[nodiscard]] std::string first_image_text(const Model& model, const Edits& edits, const WorkProgress& work);
// Over the last image of the source before, which has neither rulers nor numbers.
void draw_awaited_image(PanelContext& c, const ImageLayout& layout, const AwaitedImage& awaited);

// The comparison over the image: in a corner of each side its letter and the parameters that differ, or the names of
// two recordings; and the wipe line with its handle, A left and B right of it at the same millimetre scale. The pixels
// are drawn by WindowRenderer. UI thread only.

enum class BadgeLetters { small, large };  // large: for the projector

struct BadgesContext {
  const Ui& ui;
  const Model& model;
  const Image& a;
  const Image& b;
  Rect side_a, side_b;
  Direction end_of_b = Direction::left;  // of side_b
  BadgeLetters letters = BadgeLetters::small;
};
void draw_compare_badges(const BadgesContext& c);
// Of so many parameters that differ those that a badge names; of the others it says how many. At most five lines and a
// third of its side, which is `side_lines` lines high; the name of a recording takes one of them.
enum class BadgeName { none, shown };
[[nodiscard]] std::size_t badge_rows(std::size_t differing, float side_lines, BadgeName name);

struct WipeContext {
  Ui& ui;
  const ImageLayout& layout;
  const Image& a;
  const Image& b;
  const Model& model;
  Edits& edits;
  Commands& commands;
  BadgeLetters letters = BadgeLetters::small;
};

float wipe_x(const ImageLayout& layout, float share);  // whole pixels

// Line, handle and badges, before anything that takes the mouse on the image.
void draw_wipe(const WipeContext& c);

// The area below the image in which one dock is open, and its upper edge, a splitter. UI thread only.

class DockArea {
 public:
  static constexpr float kFolded = 30;  // height of the line in a window that is too low, at scale 1

  DockArea();

  // Takes its place from the bottom of `area`; empty when closed, a line that says so where a low window has no room.
  Rect place(Ui& ui, ViewSettings& view, Rect& area, bool compact) const;
  void draw(const DockScene& scene, const Rect& r);
  void close(Dock but = Dock::none);  // all other docks

  // In the presentation: all that take part, one below the other; where there is little room one of them, chosen by a
  // tap.
  void draw_presented(const DockScene& scene, const Rect& area);

 private:
  static Rect folded(const Ui& ui, Rect& area);
  void choose_presented(PanelContext& c, const Rect& row, std::span<const std::size_t> docks);

  std::array<std::unique_ptr<DockContent>, kDocks.size()> contents_;  // by place in kDocks
  std::size_t presented_ = 0;                                         // likewise, where there is room for one
};

// On the image: the pixel that is inspected, or the line.
void draw_inspected(const Ui& ui, const ImageLayout& layout, const Image& image, PlanePoint at, Dock dock);

}  // namespace echoloop
