// The real window, by GLFW. UI thread only.
#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "gui/gl/imgui_compat.h"
#include "gui/gl/surface.h"
#include "gui/gl/window_keys.h"
#include "gui/gl/window_mouse.h"

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

// Where some screen shows it, no larger than all of them; a screen may have been unplugged since.
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

// The age of the back buffer (GLX_EXT_buffer_age) of the window whose context is current.
class BufferAge {
 public:
  void find() {
    if (glfwExtensionSupported("GLX_EXT_buffer_age") == GLFW_FALSE) return;
    display_ = function<Display>("glXGetCurrentDisplay");
    drawable_ = function<Drawable>("glXGetCurrentDrawable");
    query_ = function<Query>("glXQueryDrawable");
  }

  // 0: unknown.
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
    // Where a window's unit is not a pixel (Wayland), ImGui works in those units and needs no further scale.
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
    place.full_screen = true;  // before the new size arrives
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
    if (known) glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // shown when it is where it belongs
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
