// The whole window's content: columns, bars, picture furniture, popups, presentation mode, keys. It decides where the
// picture goes and which areas have which ground; the viewer draws both with OpenGL, below everything here. UI thread
// only.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/about.h"
#include "gui/bars.h"
#include "gui/cine_strip.h"
#include "gui/compare_state.h"
#include "gui/dock.h"
#include "gui/edit_history.h"
#include "gui/file_dialog.h"
#include "gui/image_view.h"
#include "gui/keys.h"
#include "gui/layout.h"
#include "gui/lecture.h"
#include "gui/level_reader.h"
#include "gui/panel_column.h"
#include "gui/panels/preset_row.h"
#include "gui/picture_hand.h"
#include "gui/side_by_side.h"
#include "gui/touch_strip.h"
#include "gui/tour.h"
#include "gui/ui_scale.h"

namespace echoloop {

struct Ground {
  Rect area;
  unsigned int hex = 0;
};

struct SceneInput {
  const Fonts& fonts;
  float scale = 1;
  float wanted_scale = 1;           // more than `scale` where the window has no room for it
  const Image& image;               // on screen; number 0 = none
  const Image* compared = nullptr;  // A of a comparison, left of the wipe line; null = none
  std::function<float(const Image& image, int ix, int iz)> level_db;
  LevelReader& levels;  // of `image`, for what measures it
  LevelReader& compared_levels;
  std::span<const KeyPress> keys;
  const MModeStrip& strip;
};

class Screen {
 public:
  Screen(UiCommands commands, ViewSettings settings) : commands_(std::move(commands)), view_(std::move(settings)) {}

  // Between ImGui's new frame and its render.
  void draw(UiState& state, const SceneInput& input);

  [[nodiscard]] const Rect& picture() const { return layout_.image; }  // empty: no picture
  [[nodiscard]] const PictureLayout& picture_layout() const { return layout_; }
  [[nodiscard]] const PictureLayout& side_a_layout() const { return side_a_; }  // empty image: not side by side
  [[nodiscard]] const DockArea& dock() const { return dock_; }
  [[nodiscard]] const StripBoxes& strips() const { return strips_; }  // where M-mode and sonogram are drawn
  [[nodiscard]] float wipe_x() const { return wipe_x_; }              // where A ends and B begins
  [[nodiscard]] bool playing() const { return playing_; }             // kept frames
  // The picture with its furniture: all that changes with every picture. Everything else may be drawn less often.
  [[nodiscard]] const Rect& live_area() const { return live_area_; }
  [[nodiscard]] const std::vector<Ground>& grounds() const { return grounds_; }
  [[nodiscard]] const ViewSettings& settings() const { return view_; }
  void set_layout(const LayoutText& layout) { apply_layout(view_, layout); }
  // What other places know and the settings keep; true when the window has moved.
  bool remember(const UiState& state, const WindowPlace& place);
  void present();  // begins the presentation
  // Shows the tour with the next picture.
  void begin_tour() { tour_.begin(); }
  void list_folders_with(FolderLister lister) { dialog_.list_with(std::move(lister)); }
  void set_toured() { view_.toured = true; }
  [[nodiscard]] bool used_last_key() const { return used_key_; }
  [[nodiscard]] bool presenting() const { return presentation_; }
  [[nodiscard]] bool moving() const;
  [[nodiscard]] Rect rect_of(const std::string& id) const { return ui_.rect_of(id); }
  [[nodiscard]] const Ui& ui() const { return ui_; }
  bool take_full_screen() { return std::exchange(full_screen_, false); }
  [[nodiscard]] bool quit() const { return quit_; }  // asked for by key
  // Of the interface, chosen in the window; 0: none was.
  [[nodiscard]] float chosen_scale() const { return scale_chosen_ ? view_.scale : 0; }
  [[nodiscard]] bool scale_chosen() const { return scale_chosen_; }
  // All of the view as it is before anything was set; what was opened, and where, stays known.
  void reset_view();
  void restore_view(const ViewSettings& settings);
  [[nodiscard]] const Focus& focus() const { return ui_.focus(); }
  [[nodiscard]] const UiCommands& commands() const { return commands_; }

 private:
  void choose_scale(float scale);
  [[nodiscard]] bool refused_in_kiosk(const UiState& state) const;
  void handle_keys(UiState& state, std::span<const KeyPress> keys);
  bool handle_key(UiState& state, const KeyPress& press);
  bool handle_preset_key(const UiState& state, const KeyPress& press);
  bool handle_past_key(UiState& state, const KeyPress& press);
  bool handle_view_key(UiState& state, const KeyPress& press);
  void watch_edits(UiState& state);
  void travel(UiState& state, HistoryAct act);
  // Acts, or says why it cannot, in a line that goes by itself.
  void act_unless(std::string_view why_not, const std::function<void()>& act) const;
  void step_param(UiState& state, std::string_view key, double by);
  void watch_gate(UiState& state);
  void inspect_somewhere(UiState& state, const SceneInput& input) const;
  void draw_controls(PanelContext& c, const SceneInput& input);
  void draw_program_panels(const UiState& state, float wanted_scale);
  void draw_columns(PanelContext& c, const WindowLayout& l);
  void draw_stream_panels(PanelContext& c, PanelColumn& column, const Rect& area);
  void draw_splitters(PanelContext& c, const WindowLayout& l);
  void draw_centre(PanelContext& c, const SceneInput& input, const WindowLayout& l);
  void draw_image(PanelContext& c, const SceneInput& input, const Rect& area);
  struct Presented;
  [[nodiscard]] Presented lay_out_presentation(const UiState& state);
  void draw_presented_bars(const UiState& state);
  void draw_presented_caption(const UiState& state, const Image& image, const Rect& line);
  void draw_lecture(PanelContext& c);
  void draw_presentation(PanelContext& c, const SceneInput& input);
  void draw_comparison(UiState& state, const SceneInput& input);
  [[nodiscard]] bool beside() const { return side_a_.image.width() > 0; }
  void lay_out(const UiState& state, const SceneInput& input, const Rect& area, bool compact);
  [[nodiscard]] const PictureLayout& pointed_layout();
  void draw_waiting_for_a(const UiState& state, const SceneInput& input) const;
  void draw_side_a(UiState& state, const SceneInput& input, const Rect& area);
  void draw_pointers(UiState& state, const SceneInput& input);
  [[nodiscard]] ImageViewContext view_of_a(UiState& state, const SceneInput& input);
  [[nodiscard]] ImageViewContext view_of(UiState& state, const SceneInput& input);
  void draw_over_picture(UiState& state, const SceneInput& input);

  UiCommands commands_;
  ViewSettings view_;
  Ui ui_;
  FileDialog dialog_;
  SandboxDialog sandbox_dialog_;
  ProgramFacts program_facts_;  // once About was opened
  CineStrip cine_;
  MessageLine messages_;
  PictureHand hand_;
  Measuring measuring_, measuring_a_;
  DockArea dock_;
  StripBoxes strips_;
  TouchStrip touch_;
  Lecture lecture_;
  bool lectured_ = false;  // in the last frame
  Tour tour_;
  bool used_key_ = false;
  std::vector<KeyPress> keys_left_;  // of this frame, that the focus did not take
  PresetRow presets_;
  EditHistory history_;
  AcquisitionPtr history_of_;  // the source whose parameters it has
  PanelColumn left_column_, right_column_;
  float splitter_grip_ = 0;  // from the edge that is dragged to the pointer
  PictureLayout layout_, last_layout_;
  PictureLayout side_a_;                  // of A beside B, whose is layout_
  CompareSide pointed_ = CompareSide::b;  // where the mouse is, or was when its button went down
  std::optional<CompareSide> open_as_;    // what the dialog's file is for; none: to be opened
  Rect live_area_;
  float wipe_x_ = 0;
  bool playing_ = false;
  std::vector<Ground> grounds_;
  Grid shown_grid_;  // of the last frame; nx 0 = no image
  std::string closed_fault_;
  bool more_formation_ = false, more_display_ = false;
  bool other_stream_ = false;   // as many rows of Stream as its column would not show by itself
  Gate gate_ = Gate::off;       // of the last frame
  bool inspect_ = false;        // the inspector opens as soon as the mouse lets go
  bool measure_shown_ = false;  // its panel was opened with the first mark: from then on the user folds it
  bool presentation_ = false, full_screen_ = false;
  bool scale_chosen_ = false;  // in this run
  bool close_popups_ = false;
  std::uint64_t resets_ = 0, m_mode_lines_ = 0;  // that history_ knows of
  bool open_dialog_ = false, open_keys_ = false, quit_ = false;
  double presentation_since_ = 0;
};

}  // namespace echoloop
