// Window on a display, by GLFW. UI thread only.
#include "gui/gl/window.h"

#include <glad/gl.h>

#include "gui/gl/imgui_compat.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "gui/gl/surface.h"

namespace echoloop {
namespace {

std::string last_glfw_error;
ShortTaps short_taps;
ButtonQueue buttons;

constexpr int kMinWidth = 1024;
constexpr int kMinHeight = 640;

Surface* surface_of(GLFWwindow* window) { return static_cast<Surface*>(glfwGetWindowUserPointer(window)); }

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  if (action == GLFW_RELEASE) return;
  short_taps.press(key, mods);
  const std::optional<Key> named = window_key(key, scancode);
  if (!named || (action == GLFW_REPEAT && acts_once(*named))) return;
  surface_of(window)->keys.push_back(
      {.key = *named, .control = (mods & GLFW_MOD_CONTROL) != 0, .shift = (mods & GLFW_MOD_SHIFT) != 0});
}

void on_pointer(GLFWwindow*, double x, double y) { buttons.move(static_cast<float>(x), static_cast<float>(y)); }

void on_button(GLFWwindow*, int button, int action, int) { buttons.button(button, action == GLFW_PRESS); }

void on_drop(GLFWwindow* window, int count, const char** paths) {
  for (int i = 0; i < count; ++i) surface_of(window)->dropped_files.emplace_back(paths[i]);
}

void on_place(GLFWwindow* window, int, int) {
  WindowPlace& place = surface_of(window)->place;
  place.full_screen = glfwGetWindowMonitor(window) != nullptr;
  if (place.full_screen || glfwGetWindowAttrib(window, GLFW_ICONIFIED) == GLFW_TRUE) return;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
}

void on_exposed(GLFWwindow* window) { surface_of(window)->exposed = true; }

// Returns the place if visible on some screen, limited to all of them; a screen may have been unplugged since.
std::optional<WindowPlace> place_now(const WindowPlace& place) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  bool seen = false;
  ScreenArea all;
  for (int i = 0; i < count; ++i) {
    ScreenArea area;
    glfwGetMonitorWorkarea(monitors[i], &area.x, &area.y, &area.width, &area.height);
    seen = seen || can_be_seen(place, area);
    if (i == 0) all = area;
    const int x1 = std::max(all.x + all.width, area.x + area.width);
    const int y1 = std::max(all.y + all.height, area.y + area.height);
    all.x = std::min(all.x, area.x);
    all.y = std::min(all.y, area.y);
    all.width = x1 - all.x;
    all.height = y1 - all.y;
  }
  if (!seen || place.width <= 0) return std::nullopt;
  return fitted(place, all);
}

// Age of the back buffer (GLX_EXT_buffer_age) of the window whose context is current.
class BufferAge {
 public:
  void find() {
    if (glfwExtensionSupported("GLX_EXT_buffer_age") == GLFW_FALSE) return;
    display_ = function<Display>("glXGetCurrentDisplay");
    drawable_ = function<Drawable>("glXGetCurrentDrawable");
    query_ = function<Query>("glXQueryDrawable");
  }

  // Returns 0 if unknown.
  [[nodiscard]] int now() const {
    if (display_ == nullptr || drawable_ == nullptr || query_ == nullptr) return 0;
    constexpr int kBackBufferAge = 0x20F4;  // GLX_BACK_BUFFER_AGE_EXT
    unsigned int age = 0;
    query_(display_(), drawable_(), kBackBufferAge, &age);
    return static_cast<int>(age);
  }

 private:
  using Display = void* (*)();
  using Drawable = unsigned long (*)();
  using Query = void (*)(void* display, unsigned long drawable, int attribute, unsigned int* value);

  template <class Function>
  static Function function(const char* name) {
    return reinterpret_cast<Function>(glfwGetProcAddress(name));
  }

  Display display_ = nullptr;
  Drawable drawable_ = nullptr;
  Query query_ = nullptr;
};

class GlfwSurface final : public Surface {
 public:
  explicit GlfwSurface(const SurfaceOptions& options) {
    glfwSetErrorCallback([](int, const char* text) { last_glfw_error = text; });
    if (glfwInit() == GLFW_FALSE) throw Error("window", last_glfw_error, "a display", "--headless needs none");
    open(options);
  }

  ~GlfwSurface() override {
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwSurface(const GlfwSurface&) = delete;
  GlfwSurface& operator=(const GlfwSurface&) = delete;

  void init_imgui() override { ImGui_ImplGlfw_InitForOpenGL(window_, true); }  // chains the callbacks set before
  void shutdown_imgui() override { ImGui_ImplGlfw_Shutdown(); }

  void poll(double wait_s) override {
    if (wait_s > 0.0) {
      glfwWaitEventsTimeout(wait_s);
    } else {
      glfwPollEvents();
    }
  }

  void new_frame(double) override {
    ImGui_ImplGlfw_NewFrame();
    short_taps.begin_frame();
    if (buttons.begin_frame()) glfwPostEmptyEvent();
  }
  void present() override { glfwSwapBuffers(window_); }
  [[nodiscard]] bool should_close() const override { return glfwWindowShouldClose(window_) == GLFW_TRUE; }

  [[nodiscard]] int width() const override { return framebuffer_size().first; }
  [[nodiscard]] int height() const override { return framebuffer_size().second; }
  [[nodiscard]] float content_scale() const override {
    float x = 1.0F;
    float y = 1.0F;
    glfwGetWindowContentScale(window_, &x, &y);
    // Scales by window units, which are not pixels on Wayland: ImGui uses them and needs no further scale.
    int units = 0;
    int unused = 0;
    glfwGetWindowSize(window_, &units, &unused);
    return units > 0 ? x * static_cast<float>(units) / static_cast<float>(std::max(width(), 1)) : x;
  }
  [[nodiscard]] unsigned int framebuffer() const override { return 0; }
  [[nodiscard]] int content_age() const override { return buffer_age_.now(); }

  void toggle_full_screen() override {
    if (glfwGetWindowMonitor(window_) != nullptr) {
      glfwSetWindowMonitor(window_, nullptr, place.x, place.y, place.width, place.height, GLFW_DONT_CARE);
      place.full_screen = false;
      return;
    }
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
    if (mode == nullptr) return;
    glfwGetWindowPos(window_, &place.x, &place.y);
    glfwGetWindowSize(window_, &place.width, &place.height);
    place.full_screen = true;  // set before the new size arrives
    glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  }

  void inject(const InjectedInput&) override {}

 private:
  void open(const SurfaceOptions& options) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    double scale = options.ui_scale;
    int screen[4] = {0, 0, options.width, options.height};
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
      glfwGetMonitorWorkarea(monitor, &screen[0], &screen[1], &screen[2], &screen[3]);
      float x = 1.0F;
      float y = 1.0F;
      glfwGetMonitorContentScale(monitor, &x, &y);
      if (scale == 0.0) scale = x;
    }
    scale = std::max(scale, 0.5);
    const auto side = [scale](int length, int limit, int least) {
      const int wanted = static_cast<int>(std::lround(length * scale));
      return std::max(limit > 0 ? std::min(wanted, limit) : wanted, std::min(least, std::max(limit, 1)));
    };
    const std::optional<WindowPlace> known = place_now(options.place);
    if (known) glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // shown once it is in place
    window_ = glfwCreateWindow(known ? known->width : side(options.width, screen[2], kMinWidth),
                               known ? std::max(known->height, 1) : side(options.height, screen[3], kMinHeight),
                               "Echoloop", nullptr, nullptr);
    if (window_ == nullptr) {
      const std::string why = last_glfw_error;
      glfwTerminate();
      throw Error("window", why, "a display with OpenGL 4.5", "--headless needs none");
    }
    glfwSetWindowSizeLimits(window_, std::min(static_cast<int>(kMinWidth * scale), screen[2]),
                            std::min(static_cast<int>(kMinHeight * scale), screen[3]), GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowUserPointer(window_, static_cast<Surface*>(this));
    glfwSetKeyCallback(window_, on_key);
    glfwSetCursorPosCallback(window_, on_pointer);
    glfwSetMouseButtonCallback(window_, on_button);
    glfwSetDropCallback(window_, on_drop);
    glfwSetWindowRefreshCallback(window_, on_exposed);
    if (known) {
      glfwSetWindowPos(window_, known->x, known->y);
      glfwShowWindow(window_);
    }
    on_place(window_, 0, 0);
    glfwSetWindowPosCallback(window_, on_place);
    glfwSetWindowSizeCallback(window_, on_place);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(options.vsync ? 1 : 0);
    if (gladLoadGL(glfwGetProcAddress) == 0) {
      glfwTerminate();
      throw Error("window", "no OpenGL functions", "OpenGL 4.5");
    }
    buffer_age_.find();
    if (known && known->full_screen) toggle_full_screen();
  }

  [[nodiscard]] std::pair<int, int> framebuffer_size() const {
    int w = 0;
    int h = 0;
    glfwGetFramebufferSize(window_, &w, &h);
    return {w, h};
  }

  GLFWwindow* window_ = nullptr;
  BufferAge buffer_age_;
};

}  // namespace

std::unique_ptr<Surface> make_window(const SurfaceOptions& options) { return std::make_unique<GlfwSurface>(options); }

}  // namespace echoloop

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

namespace echoloop {
namespace {

struct KeyName {
  int glfw;
  Key key;
};
constexpr KeyName kKeyNames[] = {{GLFW_KEY_SPACE, Key::space},
                                 {GLFW_KEY_TAB, Key::tab},
                                 {GLFW_KEY_ESCAPE, Key::escape},
                                 {GLFW_KEY_ENTER, Key::enter},
                                 {GLFW_KEY_KP_ENTER, Key::enter},
                                 {GLFW_KEY_UP, Key::up},
                                 {GLFW_KEY_DOWN, Key::down},
                                 {GLFW_KEY_LEFT, Key::left},
                                 {GLFW_KEY_RIGHT, Key::right},
                                 {GLFW_KEY_HOME, Key::home},
                                 {GLFW_KEY_END, Key::end},
                                 {GLFW_KEY_PAGE_UP, Key::page_up},
                                 {GLFW_KEY_PAGE_DOWN, Key::page_down},
                                 {GLFW_KEY_F1, Key::f1},
                                 {GLFW_KEY_F5, Key::f5},
                                 {GLFW_KEY_F6, Key::f6},
                                 {GLFW_KEY_F9, Key::f9},
                                 {GLFW_KEY_F11, Key::f11},
                                 {GLFW_KEY_LEFT_BRACKET, Key::left_bracket},
                                 {GLFW_KEY_RIGHT_BRACKET, Key::right_bracket},
                                 {GLFW_KEY_MINUS, Key::minus},
                                 {GLFW_KEY_KP_SUBTRACT, Key::minus},
                                 {GLFW_KEY_EQUAL, Key::equal},
                                 {GLFW_KEY_KP_ADD, Key::equal},
                                 {GLFW_KEY_DELETE, Key::remove},
                                 {GLFW_KEY_BACKSPACE, Key::remove},
                                 {GLFW_KEY_1, Key::digit1},
                                 {GLFW_KEY_2, Key::digit2},
                                 {GLFW_KEY_3, Key::digit3},
                                 {GLFW_KEY_4, Key::digit4},
                                 {GLFW_KEY_5, Key::digit5},
                                 {GLFW_KEY_6, Key::digit6},
                                 {GLFW_KEY_7, Key::digit7},
                                 {GLFW_KEY_8, Key::digit8},
                                 {GLFW_KEY_9, Key::digit9},
                                 {GLFW_KEY_0, Key::digit0},
                                 {GLFW_KEY_KP_0, Key::digit0},
                                 {GLFW_KEY_A, Key::a},
                                 {GLFW_KEY_C, Key::c},
                                 {GLFW_KEY_D, Key::d},
                                 {GLFW_KEY_E, Key::e},
                                 {GLFW_KEY_F, Key::f},
                                 {GLFW_KEY_I, Key::i},
                                 {GLFW_KEY_K, Key::k},
                                 {GLFW_KEY_L, Key::l},
                                 {GLFW_KEY_M, Key::m},
                                 {GLFW_KEY_N, Key::n},
                                 {GLFW_KEY_O, Key::o},
                                 {GLFW_KEY_P, Key::p},
                                 {GLFW_KEY_Q, Key::q},
                                 {GLFW_KEY_R, Key::r},
                                 {GLFW_KEY_S, Key::s},
                                 {GLFW_KEY_T, Key::t},
                                 {GLFW_KEY_X, Key::x},
                                 {GLFW_KEY_Y, Key::y},
                                 {GLFW_KEY_Z, Key::z}};

// Maps letters and brackets by the character that the keyboard layout assigns, as layouts differ.
int layout_key(int key, int scancode) {
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
  switch (name[0]) {
    case '[':
      return GLFW_KEY_LEFT_BRACKET;
    case ']':
      return GLFW_KEY_RIGHT_BRACKET;
    case '-':
      return GLFW_KEY_MINUS;
    case '=':
    case '+':
      return GLFW_KEY_EQUAL;
    default:
      if (name[0] >= 'a' && name[0] <= 'z') return GLFW_KEY_A + (name[0] - 'a');
      return key >= GLFW_KEY_A && key <= GLFW_KEY_Z ? GLFW_KEY_UNKNOWN : key;
  }
}

}  // namespace

std::optional<Key> window_key(int glfw_key, int scancode) {
  const int named = layout_key(glfw_key, scancode);
  for (const KeyName& name : kKeyNames) {
    if (name.glfw == named) return name.key;
  }
  return std::nullopt;
}

#if IMGUI_VERSION_NUM < 18700
namespace {

void take_modifiers(ImGuiIO& io) {
  io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
  io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
  io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
}

}  // namespace

void ShortTaps::press(int glfw_key, int glfw_mods) {
  if (glfw_key >= 0 && glfw_key <= GLFW_KEY_LAST) pressed_.push_back(glfw_key);
  if ((glfw_mods & GLFW_MOD_CONTROL) != 0) pressed_.push_back(GLFW_KEY_LEFT_CONTROL);
  if ((glfw_mods & GLFW_MOD_SHIFT) != 0) pressed_.push_back(GLFW_KEY_LEFT_SHIFT);
}

void ShortTaps::begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  if (pressed_.empty() && lent_.empty()) return;
  for (const int key : lent_) {
    if (std::find(pressed_.begin(), pressed_.end(), key) == pressed_.end()) io.KeysDown[key] = false;
  }
  lent_.clear();
  for (const int key : pressed_) {
    if (!io.KeysDown[key]) lent_.push_back(key);
    io.KeysDown[key] = true;
  }
  pressed_.clear();
  take_modifiers(io);
}
#else
void ShortTaps::press(int, int) {}
void ShortTaps::begin_frame() {}
#endif

bool acts_once(Key key) {
  switch (key) {  // repeating keys: steps, and undo
    case Key::tab:
    case Key::up:
    case Key::down:
    case Key::left:
    case Key::right:
    case Key::page_up:
    case Key::page_down:
    case Key::left_bracket:
    case Key::right_bracket:
    case Key::minus:
    case Key::equal:
    case Key::y:
    case Key::z:
      return false;
    default:
      return true;
  }
}

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
  if (event.down || !moved) {  // a release after a move has a frame of its own: the dragged item follows while held
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
