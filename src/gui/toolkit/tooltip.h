// The tooltip: of one control at a time, after the pointer or the keyboard has been on it for a moment. UI thread only.
#pragma once

#include <string>
#include <string_view>

#include "gui/gl/imgui_compat.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

struct Tip {
  std::string_view title;
  std::string_view text;
  std::string_view why_not;  // not empty: the control is disabled for this reason
};

class Tooltip {
 public:
  void begin_frame() { candidate_ = 0; }
  [[nodiscard]] bool taken() const { return candidate_ != 0; }  // by a control, in this frame
  void offer(ImGuiID id, const Rect& control, const Tip& tip);
  void end_frame(Painter& painter);                    // drawn above everything else
  [[nodiscard]] bool waits() const { return waits_; }  // for its time to come

 private:
  void draw(Painter& painter) const;

  ImGuiID id_ = 0, candidate_ = 0;
  double since_s_ = 0;
  bool waits_ = false;
  Rect control_;
  std::string title_, text_;
};

}  // namespace echoloop
