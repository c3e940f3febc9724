// The mouse buttons of the real window: every press and release counts where the pointer was. UI thread only.
#pragma once

#include <array>
#include <deque>

namespace echoloop {

// ImGui before 1.87 reads the pointer when a frame begins: where frames are slow, the pointer has moved on, and a click
// would act on what lies under it by then. Here the frames take one press or release each, at its own place. From 1.87
// ImGui does so itself, and this does nothing.
class ButtonQueue {
 public:
  void move(float x, float y);  // window coordinates, as ImGui's
  void button(int index, bool down);
  // After ImGui's backend, before ImGui. Whether another frame is due at once.
  bool begin_frame();

 private:
  struct Event {
    int index;
    bool down;
    float x, y;
  };
  std::deque<Event> events_;
  std::array<bool, 3> held_{};  // left, right, middle
  float x_ = 0, y_ = 0;
  float shown_x_ = 0, shown_y_ = 0;  // to ImGui, last
};

}  // namespace echoloop
