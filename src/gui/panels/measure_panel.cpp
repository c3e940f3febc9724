#include "gui/panels/marks_list.h"
#include "gui/panels/panels.h"

namespace echoloop {

void measure_panel(PanelContext& c, Column& column) {
  bool& open = c.view.is_open(Panel::measure, c.compact);
  const std::size_t count = c.state.marks.list.size();
  c.ui.header("panel_measure", column, "Measure", open || count == 0 ? "" : std::to_string(count), open);
  if (open) marks_list(c, column);
}

}  // namespace echoloop
