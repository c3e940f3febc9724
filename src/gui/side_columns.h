// The columns left and right of the image: their panels, the presets, and the edges that the user moves. UI thread
// only.
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

// A column of panels: one below the other with a line between them, scrolled where it is too tall. A panel that is
// opened, by whatever, comes into view: all of it, or its head where it is taller than the column. UI thread only.
class PanelColumn {
 public:
  // `c` must outlive end(). `bar`: names the scroll bar.
  void begin(PanelContext& c, const char* bar, const Rect& area);
  void draw(const PanelRow& panel);
  // The place of a row that is no foldable panel.
  Column& next();
  void end();

 private:
  void watch(const PanelRow& panel, bool open, float top);

  // The panel that was opened last, as long as it has not settled: what it shows may come frames later.
  struct Opened {
    const PanelRow* panel;
    float height = 0;
    int same = 0;  // frames of this height
  };

  PanelContext* c_ = nullptr;
  Scroll scroll_;
  Rect area_;
  Column column_;
  float start_ = 0;
  bool first_ = true;
  bool compact_ = false;
  std::map<std::string_view, bool> was_open_;  // of those that were drawn
  std::optional<Opened> opened_;
};

class SideColumns {
 public:
  // `history`: for the buttons beside the presets; the one that was pressed.
  HistoryAct draw(PanelContext& c, const WindowLayout& l, const EditHistory& history);

 private:
  HistoryAct draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                         const EditHistory& history);
  void open_measure_panel(PanelContext& c);
  void draw_splitter(PanelContext& c, const WindowLayout& l, PanelSide side);

  PanelColumn left_, right_;
  PresetRow presets_;
  float splitter_grip_ = 0;     // from the edge that is dragged to the pointer
  bool other_stream_ = false;   // as many rows of Stream as its column would not show by itself
  bool measure_shown_ = false;  // its panel was opened with the first mark: from then on the user folds it
  std::uint64_t resets_ = 0;    // known
};

// Dialogs above the window: keys (F1), About, questions, the tour, and those of a scanner. UI
// thread only.

struct Question {  // answered by yes, or by Cancel
  const char* id;  // its buttons: "_open", "_cancel"
  std::string title, subject, why, yes;
};

class QuestionDialog {
 public:
  // Every frame, as long as the question stands. Closing the panel is a no.
  std::optional<bool> draw(Ui& ui, const Question& question, bool stands);

 private:
  bool open_ = false;
};

// Opened from a scanner's rows in the Source panel: its description as received, and the question before a port is
// opened on the network.
class ScannerDialogs {
 public:
  // Every frame.
  void draw(Ui& ui, const Model& model, Commands& commands);

 private:
  void draw_description(Ui& ui, const Model& model, Commands& commands);
  void draw_network(Ui& ui, const Model& model, Commands& commands);

  std::shared_ptr<const std::string> shown_;
  std::vector<std::string> lines_;  // of shown_
  Scroll scroll_;
  std::array<char, 8> port_{};
};

class ProgramPanels {
 public:
  // Every frame. The interface scale that was chosen in the list of keys; nothing: none was.
  std::optional<float> draw(Ui& ui, const Model& model, Commands& commands, const Queries& queries, float wanted_scale);
  void open_keys(Ui& ui) const;
  [[nodiscard]] bool keys_open() const;
  [[nodiscard]] Tour& tour() { return tour_; }

 private:
  QuestionDialog sandbox_;  // before a recording is opened where the system offers no sandbox
  QuestionDialog leave_;    // before another file takes the place of answers that are not saved
  ScannerDialogs scanner_;
  ProgramFacts facts_;  // once About was opened
  Tour tour_;
};

}  // namespace echoloop
