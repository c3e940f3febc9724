// Parts of the import assistant, and their common state in a window frame: the import state, the orders, selection and
// drag and drop. UI thread only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gui/gl/shader.h"
#include "gui/state/focus.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"
#include "gui/view/image_view.h"

namespace echoloop {

inline constexpr float kFieldIndent = 22, kFieldLabel = 132;  // in rows of fields

struct AssistantDrag {  // name from the tree, or role
  std::string entry = {}, role = {};
  float x = 0, y = 0;  // start position
  bool moving = false;
};

struct AssistantDrop {  // drop target
  Rect where;
  std::string field;     // empty: an axis
  std::size_t axis = 0;  // in the draft
};

// State between window frames, for one file.
struct AssistantChoice {
  std::string selected = {};   // path in the tree
  std::size_t axis = 0;        // marked axis, changed by letter keys
  bool contents_open = false;  // in a narrow window, in place of the preview
  bool narrow = false;
  bool focus_filter = false;  // in this frame
  AssistantDrag drag = {};
  std::vector<AssistantDrop> places = {};  // of this frame
};

struct AssistantScene {
  Ui& ui;
  const Model& model;
  Commands& commands;
  [[nodiscard]] const ImportState& import() const { return model.import; }
  void order(const ImportOrder& order) const { commands.send(command::Import{order}); }
};

AssistantDrag drag_from_mouse(const std::string& entry, const std::string& role);  // one of both is empty

// One line of small text, so that rows below do not move; the tooltip shows text that does not fit.
struct Reason {
  std::string id, title;
  float indent = 0;  // at scale 1
  ImU32 color = theme::kMuted;
  std::string text = {};
  std::string error = {};  // shown in its place, in red
};
void draw_reason(Ui& ui, Column& column, const Reason& reason);

// Draw rows of AssistantFields: the roles of the axes, and for raw bytes also type, header and shape.
void draw_axes(const AssistantScene& c, AssistantChoice& choice, Column& column);
void draw_raw_fields(const AssistantScene& c, AssistantChoice& choice, Column& column);
void draw_shape_buttons(const AssistantScene& c, const AssistantChoice& choice, Rect& row);

// Contents of the file: the tree of names with the selected entry below, or the first bytes.
class AssistantContents {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  void draw_tree(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

  std::array<char, 64> filter_{};
  Scroll scroll_;
};

// Description: roles of axes, facts in groups with their origin, doubts with evidence, buttons.
class AssistantFields {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  Scroll scroll_;
};

// Preview: image, channel data, effect of the last change, the frame.
class AssistantPreview {
 public:
  enum class Of { arrays, bytes };
  void begin(Of of) { shown_ = of == Of::bytes ? Shown::both : Shown::image; }
  void draw(const AssistantScene& c, const Rect& area);

 private:
  void draw_image(const AssistantScene& c, const Rect& area);
  void draw_traces(const AssistantScene& c, const Rect& area);

  enum class Shown { image, traces, both };
  Shown shown_ = Shown::image;
  ImagePicture picture_;
  ChannelMap map_;
};

// Import assistant, which replaces the columns and the image: file contents, description, preview. Draws Model::import
// and sends orders. UI thread only.

class Assistant {
 public:
  // Draws the assistant in `area`, and its status bar in `bar`.
  void draw(const AssistantScene& c, const Rect& bar, const Rect& area);
  // Handles a key not used by the focus; returns true if it has an effect.
  bool take_key(const AssistantScene& c, const KeyPress& press);

 private:
  void drop(const AssistantScene& c);

  std::string file_;  // file of this state
  AssistantChoice choice_;
  AssistantContents contents_;
  AssistantFields fields_;
  AssistantPreview preview_;
};

}  // namespace echoloop
