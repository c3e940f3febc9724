// Content of the window without OpenGL: ImGui's frames alone, thousands per second. Each has its own ImGui context,
// without state from earlier ones.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/scene.h"
#include "gui/screen.h"

namespace echoloop::testing {

// Returns the view of a linear probe, without pixels.
Image test_image();

struct BareWindow {
  int width = 1600, height = 900;
  double scale = 1.0;
  ViewSettings view = {};
};

enum class Held { nothing, control };

class BareScreen {
 public:
  // `image`: on screen; number 0 = none.
  BareScreen(const BareWindow& window, WindowState initial, const Image& image);
  ~BareScreen();
  BareScreen(const BareScreen&) = delete;
  BareScreen& operator=(const BareScreen&) = delete;

  void frame(const std::vector<KeyPress>& keys = {});
  void click(float x, float y);  // one press, with a frame before, during and after it
  void wheel(float x, float y, float steps, Held held = Held::nothing);
  [[nodiscard]] Rect rect_of(const std::string& id) const { return screen->ui().rect_of(id); }

  WindowState state;
  std::unique_ptr<Screen> screen;
  std::set<std::string> commands;    // called ones, by name
  std::vector<std::string> clicked;  // clicked controls
  std::vector<std::string> hints;

 private:
  BareWindow window_;
  Image image_;
  LevelReader levels_, compared_levels_;
  LineQueue lines_;
  Commands queue_;
  MModeStrip strip_{lines_, nullptr};
  const Fonts* fonts_ = nullptr;
  ImGuiContext* context_ = nullptr;
};

}  // namespace echoloop::testing
