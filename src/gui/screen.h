// Contents of the whole window: columns, bars, image, strip, docks, popups, presentation and lecture. Sets the image's
// position and the background of each area; the viewer draws both with OpenGL, below everything here. UI thread only.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/assistant/assistant_parts.h"
#include "gui/bars.h"
#include "gui/cine/cine_strip.h"
#include "gui/docks/file_dialog.h"
#include "gui/key_commands.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/presentation.h"
#include "gui/side_columns.h"
#include "gui/state/focus.h"
#include "gui/toolkit/layout.h"
#include "gui/view/image_view.h"
#include "gui/workspace/image_area.h"

namespace echoloop {

class Screen {
 public:
  Screen(Commands& commands, Queries queries, ViewSettings settings)
      : commands_(commands), queries_(std::move(queries)), view_(std::move(settings)) {}
  [[nodiscard]] Commands& commands() { return commands_; }

  // Draws between ImGui's new frame and its render.
  void draw(const Model& model, Edits& edits, const SceneInput& input);

  [[nodiscard]] const Rect& picture() const { return image_.layout().image; }  // empty: no image
  [[nodiscard]] const ImageLayout& image_layout() const { return image_.layout(); }
  [[nodiscard]] const ImageLayout& side_a_layout() const { return image_.side_a(); }  // empty image: not side by side
  [[nodiscard]] const StripBoxes& strips() const { return drawn_.strips; }            // of M-mode and spectral Doppler
  [[nodiscard]] float wipe_x() const { return image_.wipe_x(); }                      // border between A and B
  [[nodiscard]] bool playing() const { return drawn_.playing; }                       // history frames
  // Returns the area of the image and everything that changes with it. The other areas may be drawn less often.
  [[nodiscard]] const Rect& live_area() const { return drawn_.live; }
  [[nodiscard]] const std::vector<Ground>& grounds() const { return drawn_.grounds; }
  [[nodiscard]] const ViewSettings& settings() const { return view_; }
  void set_layout(const LayoutText& layout) { apply_layout(view_, layout); }
  // Copies values from the model that the settings keep; returns true when the window has moved.
  bool remember(const Model& model, const WindowPlace& place);
  void present() { presentation_.begin(); }
  // Shows the tour with the next image.
  void begin_tour() { panels_.tour().begin(); }
  void list_folders_with(FolderLister lister) { dialog_.list_with(std::move(lister)); }
  void set_toured() { view_.toured = true; }
  [[nodiscard]] bool used_last_key() const { return drawn_.used_last_key; }
  [[nodiscard]] bool presenting() const { return presentation_.on(); }
  [[nodiscard]] bool moving() const { return ui_.moving() || messages_.moving() || presentation_.moving(); }
  [[nodiscard]] const Ui& ui() const { return ui_; }
  bool take_full_screen() { return std::exchange(requests_.full_screen, false); }
  [[nodiscard]] bool quit() const { return requests_.quit; }                  // requested by key
  [[nodiscard]] bool scale_chosen() const { return requests_.scale_chosen; }  // interface scale, in the window
  // Undo for other programs, between two window frames; apply: returns the step in words, empty: none.
  std::string apply_history(const Model& model, Edits& edits, HistoryAct act) {
    return undo_.apply(ui_, model, edits, commands_, act);
  }
  void observe(const Model& model, const Edits& edits) { undo_.observe(ui_, model, edits); }
  void record(const Model& model, const Edits& edits, const RemoteEdit& by) { undo_.record(model, edits, by); }
  void show_dock(Edits& edits, Dock dock) { toggle_dock(edits, commands_, view_, dock); }
  // Resets the view to its initial state; keeps the opened files and their folders.
  void reset_view();
  void restore_view(const ViewSettings& settings, KeptSettings keeping = KeptSettings::of_the_user);

 private:
  void begin_frame(const Model& model, Edits& edits, const SceneInput& input);
  [[nodiscard]] KeyTargets key_targets(const Model& model, Edits& edits);
  void handle_keys(const Model& model, Edits& edits, std::span<const KeyPress> keys);
  bool take_assistant_key(const Model& model, Edits& edits, const KeyPress& press);
  void follow_gate(Edits& edits);
  void draw_parts(PanelContext& c, const SceneInput& input);
  void draw_controls(PanelContext& c, const SceneInput& input);
  void draw_centre(PanelContext& c, const SceneInput& input, const WindowLayout& l);
  Rect draw_dock(PanelContext& c, const SceneInput& input, Rect& area);
  void draw_lecture(PanelContext& c);
  void draw_assistant(PanelContext& c);
  void draw_dialogs(const Model& model, Edits& edits, float wanted_scale);

  // Data of the last frame, for the viewer and for dialogs.
  struct Drawn {
    std::vector<Ground> grounds;
    Rect live;
    StripBoxes strips;
    bool playing = false;
    bool used_last_key = false;
    std::vector<KeyPress> keys;  // keys not handled by the focus
  };
  struct Measurements {
    Measuring b, a;
  };
  // Parts opened or closed by the user, until the window is reset.
  struct Opened {
    bool more_formation = false, more_display = false;  // rows of these panels
    std::string closed_fault;
  };

  Commands& commands_;
  const Queries queries_;
  ViewSettings view_;
  Ui ui_;
  SideColumns columns_;
  ImageArea image_;
  CineStrip cine_;
  DockArea dock_;
  MessageLine messages_;
  Presentation presentation_;
  Lecture lecture_;
  Assistant assistant_;
  FileDialog dialog_;
  ProgramPanels panels_;
  Undo undo_;
  Measurements measuring_;
  Opened opened_;
  WindowRequests requests_;
  Drawn drawn_;
  // Data of the last frame.
  struct {
    Grid grid;  // grid of the image; nx 0 = no image
    Gate gate = Gate::off;
    bool lecture = false;
    bool close_popups = false;  // in the next frame
    SharedDisplay display;
    std::vector<KeyPress> late_keys;  // pressed in a frame with a click
  } last_;
};

}  // namespace echoloop
