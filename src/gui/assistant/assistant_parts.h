// The parts of the import assistant, and what they share in a window frame: the state, the orders, and what is chosen
// and dragged across them. UI thread only.
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

inline constexpr float kFieldIndent = 22, kFieldLabel = 132;  // of the rows of fields

struct AssistantDrag {  // a name of the tree, or a role
  std::string entry = {}, role = {};
  float x = 0, y = 0;  // where it began
  bool moving = false;
};

struct AssistantDrop {  // where it may be let go of
  Rect where;
  std::string field;     // empty: an axis
  std::size_t axis = 0;  // of the draft
};

// Kept from frame to frame, of one file.
struct AssistantChoice {
  std::string selected = {};   // path in the tree
  std::size_t axis = 0;        // that letters act on
  bool contents_open = false;  // as a drawer in a narrow window
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

// One line of small text, so that the rows below stay; what has no room is in its tooltip.
struct Reason {
  std::string id, title;
  float indent = 0;  // at scale 1
  ImU32 color = theme::kMuted;
  std::string text;
};
void draw_reason(Ui& ui, Column& column, const Reason& reason);

// Rows of AssistantFields: the roles of the axes, and of raw bytes type, header and shape with them.
void draw_axes(const AssistantScene& c, AssistantChoice& choice, Column& column);
void draw_raw_fields(const AssistantScene& c, AssistantChoice& choice, Column& column);
void draw_shape_buttons(const AssistantScene& c, const AssistantChoice& choice, Rect& row);

// What the file holds: the tree of names with the chosen entry below, or the first bytes.
class AssistantContents {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  void draw_tree(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

  std::array<char, 64> filter_{};
  Scroll scroll_;
};

// The description: roles of axes, facts in groups with their origin, doubts with evidence, buttons.
class AssistantFields {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  Scroll scroll_;
};

// The preview: image, channel data, what the last change did, the frame.
class AssistantPreview {
 public:
  enum class Of { arrays, bytes };
  void begin(Of of) { shown_ = of == Of::bytes ? Shown::both : Shown::image; }
  void draw(const AssistantScene& c, const Rect& area);

 private:
  void draw_image(const AssistantScene& c, const Rect& area);
  void draw_traces(const AssistantScene& c, const Rect& area);

  enum class Shown { image, traces, both };
  struct Picture {  // of the preview, as its texture has it
    ColorTexture texture;
    std::shared_ptr<const Image> image;
    int width = 0, height = 0;
  };
  Shown shown_ = Shown::image;
  Picture picture_;
  ChannelMap map_;
};

// The import assistant in place of the columns and the image: what the file holds, the description, the preview. Draws
// Model::import and sends orders. UI thread only.

class Assistant {
 public:
  // Below `bar`, the status bar of the assistant, which it draws as well.
  void draw(const AssistantScene& c, const Rect& bar, const Rect& area);
  // A key that the focus did not take; true when it meant something.
  bool take_key(const AssistantScene& c, const KeyPress& press);

 private:
  void drop(const AssistantScene& c);

  std::string file_;  // that all of this belongs to
  AssistantChoice choice_;
  AssistantContents contents_;
  AssistantFields fields_;
  AssistantPreview preview_;
};

}  // namespace echoloop
