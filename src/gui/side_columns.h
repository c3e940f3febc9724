// Columns left and right of the image: their panels, the presets, and the movable edges. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/docks/docks.h"
#include "gui/panels/panels.h"
#include "gui/state/dock_list.h"
#include "gui/state/edit_history.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/layout.h"

namespace echoloop {

// Column of panels: one below the other with a line between them, scrolled if too tall. A panel that is opened, for any
// reason, is scrolled into view: all of it, or its head if it is taller than the column. UI thread only.
class PanelColumn {
 public:
  // `c` must outlive end(). `bar`: id of the scroll bar.
  void begin(PanelContext& c, const char* bar, const Rect& area);
  void draw(const PanelRow& panel);
  // Returns the position of a row that is no foldable panel.
  Column& next();
  void end();

 private:
  // Returns true in the frame in which the panel was opened or folded.
  bool watch(const PanelRow& panel, bool open, float top);

  // Panel opened last, until it has settled: its contents may arrive frames later.
  struct Opened {
    const PanelRow* panel;
    float height = 0;
    int same = 0;  // number of frames with this height
  };

  PanelContext* c_ = nullptr;
  Scroll scroll_;
  Rect area_;
  Column column_;
  float start_ = 0;
  bool first_ = true;
  std::pair<bool, WindowMode> layout_;         // each has its own open panels
  std::map<std::string_view, bool> was_open_;  // by key of the panel, as last drawn
  std::map<std::string_view, EasedValue> heights_;
  std::optional<Opened> opened_;
};

class SideColumns {
 public:
  // Returns the pressed button of those next to the presets. `history`: state for these buttons.
  HistoryAct draw(PanelContext& c, const WindowLayout& l, const EditHistory& history);

 private:
  HistoryAct draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                         const EditHistory& history);
  void open_measure_panel(PanelContext& c);
  void draw_splitter(PanelContext& c, const WindowLayout& l, PanelSide side);

  PanelColumn left_, right_;
  PresetRow presets_;
  float splitter_grip_ = 0;     // distance from the dragged edge to the pointer
  bool other_stream_ = false;   // more or fewer rows of Stream are shown than by default
  bool measure_shown_ = false;  // its panel was opened with the first mark: from then on the user folds it
  std::uint64_t resets_ = 0;    // number of known resets
  std::string lesson_;          // title of the one in progress
};

// Dialogs above the window: keys (F1), About, questions, the tour, and those of a scanner. UI
// thread only.

struct Question {  // answered by yes or Cancel
  const char* id;  // prefix of its buttons: "_open", "_cancel"
  std::string title, subject, why, yes;
};

class QuestionDialog {
 public:
  // Draws in every frame while the question stays. Closing the panel is a no.
  std::optional<bool> draw(Ui& ui, const Question& question, bool stands);

 private:
  bool open_ = false;
};

// Dialogs of the scanner's rows in the Source panel: its description as received, and the question before a port is
// opened on the network.
class ScannerDialogs {
 public:
  // Draws in every frame.
  void draw(Ui& ui, const Model& model, Commands& commands);

 private:
  void draw_description(Ui& ui, const Model& model, Commands& commands);
  void draw_network(Ui& ui, const Model& model, Commands& commands);

  std::shared_ptr<const std::string> shown_;
  std::vector<std::string> lines_;  // lines of shown_
  Scroll scroll_;
  std::array<char, 8> port_{};
};

class ProgramPanels {
 public:
  // Draws in every frame. Returns the interface scale chosen in the list of keys; nullopt: none.
  std::optional<float> draw(Ui& ui, const Model& model, Commands& commands, const Queries& queries, float wanted_scale,
                            Motion& motion);
  void open_keys(Ui& ui) const;
  [[nodiscard]] bool keys_open() const;
  [[nodiscard]] Tour& tour() { return tour_; }

 private:
  QuestionDialog sandbox_;  // before a recording is opened if the system has no sandbox
  QuestionDialog leave_;    // before another file replaces unsaved answers
  ScannerDialogs scanner_;
  ProgramFacts facts_;  // set when About is opened
  Tour tour_;
};

}  // namespace echoloop
