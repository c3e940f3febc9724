#include "gui/gl/window_mouse.h"

#include "gui/gl/imgui_compat.h"

namespace echoloop {

#if IMGUI_VERSION_NUM < 18700
void ButtonQueue::move(float x, float y) {
  x_ = x;
  y_ = y;
}

void ButtonQueue::button(int index, bool down) {
  if (index >= 0 && index < static_cast<int>(held_.size())) events_.push_back({index, down, x_, y_});
}

bool ButtonQueue::begin_frame() {
  const ImGuiIO& io = ImGui::GetIO();
  if (events_.empty()) {  // the backend's state is that of the events
    shown_x_ = io.MousePos.x;
    shown_y_ = io.MousePos.y;
    return false;
  }
  const Event event = events_.front();
  const bool moved = event.x != shown_x_ || event.y != shown_y_;
  shown_x_ = event.x;
  shown_y_ = event.y;
  if (event.down || !moved) {  // the end of a drag is a frame of its own: what is dragged follows while it is held
    held_[static_cast<std::size_t>(event.index)] = event.down;
    events_.pop_front();
  }
  compat::set_mouse({event.x, event.y}, held_[0], held_[1], held_[2], 0.0F);
  return true;
}
#else
void ButtonQueue::move(float, float) {}
void ButtonQueue::button(int, bool) {}
bool ButtonQueue::begin_frame() { return false; }
#endif

}  // namespace echoloop
