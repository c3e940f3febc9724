#include "gui/gl/surface.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "core/param_table.h"

// Window without a display: an EGL context and a framebuffer object of the window's size. UI thread only. Tries
// surfaceless Mesa (software or a render node), then an EGL device, then the default display.
#define EGL_EGL_PROTOTYPES 0

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "core/error.h"
#include "gui/gl/imgui_compat.h"

namespace echoloop {
namespace {

// EGL, loaded when an image of the window is first requested: a machine without libEGL still runs headless. UI thread.
struct EglLibrary {
  PFNEGLGETPROCADDRESSPROC get_proc_address;
  PFNEGLGETDISPLAYPROC get_display;
  PFNEGLINITIALIZEPROC initialize;
  PFNEGLTERMINATEPROC terminate;
  PFNEGLBINDAPIPROC bind_api;
  PFNEGLCHOOSECONFIGPROC choose_config;
  PFNEGLCREATECONTEXTPROC create_context;
  PFNEGLDESTROYCONTEXTPROC destroy_context;
  PFNEGLMAKECURRENTPROC make_current;
};

constexpr const char* kFile = "libEGL.so.1";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Error("offscreen rendering", std::string(kFile) + " has no " + name, "EGL 1.5");
}

EglLibrary load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error("offscreen rendering", std::string(kFile) + " is not installed", "Mesa's or a vendor's EGL",
                "Debian's package is libegl1; --png and --image-out work without EGL");
  }
  EglLibrary egl{};
  find(library, "eglGetProcAddress", egl.get_proc_address);
  find(library, "eglGetDisplay", egl.get_display);
  find(library, "eglInitialize", egl.initialize);
  find(library, "eglTerminate", egl.terminate);
  find(library, "eglBindAPI", egl.bind_api);
  find(library, "eglChooseConfig", egl.choose_config);
  find(library, "eglCreateContext", egl.create_context);
  find(library, "eglDestroyContext", egl.destroy_context);
  find(library, "eglMakeCurrent", egl.make_current);
  return egl;
}

// Loads libEGL.so.1 once. Throws Error if the library is not installed.
const EglLibrary& egl_library() {
  static const EglLibrary egl = load();
  return egl;
}

class EglContext {
 public:
  EglContext() {
    if (!try_display(platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY)) && !try_devices() &&
        !try_display(egl_.get_display(EGL_DEFAULT_DISPLAY))) {
      throw Error("offscreen rendering", "no EGL display gives OpenGL 4.5 core", "Mesa or a vendor's EGL");
    }
  }

  ~EglContext() {
    egl_.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl_.destroy_context(display_, context_);
    egl_.terminate(display_);
  }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  EGLDisplay platform_display(EGLenum platform, void* native) const {
    const auto get =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(egl_.get_proc_address("eglGetPlatformDisplayEXT"));
    return get != nullptr ? get(platform, native, nullptr) : EGL_NO_DISPLAY;
  }

  bool try_devices() {
    const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl_.get_proc_address("eglQueryDevicesEXT"));
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (query == nullptr || query(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_FALSE)
      return false;
    return std::any_of(devices.begin(), devices.begin() + count, [this](EGLDeviceEXT device) {
      return try_display(platform_display(EGL_PLATFORM_DEVICE_EXT, device));
    });
  }

  bool try_display(EGLDisplay display) {
    if (display == EGL_NO_DISPLAY || egl_.initialize(display, nullptr, nullptr) == EGL_FALSE) return false;
    if (make_context(display)) return true;
    egl_.terminate(display);
    return false;
  }

  bool make_context(EGLDisplay display) {
    if (egl_.bind_api(EGL_OPENGL_API) == EGL_FALSE) return false;
    constexpr EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint found = 0;
    egl_.choose_config(display, config_wanted, &config, 1, &found);
    constexpr EGLint wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    const EGLContext context = egl_.create_context(display, found > 0 ? config : nullptr, EGL_NO_CONTEXT, wanted);
    if (context == EGL_NO_CONTEXT) return false;
    if (egl_.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE ||
        gladLoadGL(egl_.get_proc_address) == 0) {
      egl_.destroy_context(display, context);
      return false;
    }
    display_ = display;
    context_ = context;
    return true;
  }

  const EglLibrary& egl_ = egl_library();
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

class OffscreenSurface final : public Surface {
 public:
  explicit OffscreenSurface(const SurfaceOptions& options) : width_(options.width), height_(options.height) {
    glCreateRenderbuffers(1, &color_);
    glNamedRenderbufferStorage(color_, GL_RGBA8, width_, height_);
    glCreateFramebuffers(1, &framebuffer_);
    glNamedFramebufferRenderbuffer(framebuffer_, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    if (glCheckNamedFramebufferStatus(framebuffer_, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
      throw Error("offscreen rendering", "a framebuffer of " + std::to_string(width_) + " x " + std::to_string(height_),
                  "a size that OpenGL can draw on");
    }
  }

  ~OffscreenSurface() override {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &color_);
  }
  OffscreenSurface(const OffscreenSurface&) = delete;
  OffscreenSurface& operator=(const OffscreenSurface&) = delete;

  void init_imgui() override {}
  void shutdown_imgui() override {}
  void poll(double wait_s) override {
    if (wait_s > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
  }

  void new_frame(double delta_s) override {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    io.DeltaTime = static_cast<float>(delta_s);
    compat::set_control_key(input_.control);
    compat::set_mouse({input_.mouse_x, input_.mouse_y}, input_.left, input_.right, input_.middle, input_.wheel);
    for (const char c : input_.text) io.AddInputCharacter(static_cast<unsigned char>(c));
    input_.wheel = 0;
    input_.text.clear();
  }

  void present() override {
    glFinish();
    presented_ = true;
  }
  [[nodiscard]] bool should_close() const override { return false; }
  [[nodiscard]] int width() const override { return width_; }
  [[nodiscard]] int height() const override { return height_; }
  [[nodiscard]] float content_scale() const override { return 1.0F; }
  [[nodiscard]] unsigned int framebuffer() const override { return framebuffer_; }
  [[nodiscard]] int content_age() const override { return presented_ ? 1 : 0; }
  void toggle_full_screen() override {}
  void inject(const InjectedInput& input) override {
    input_ = input;
    keys.insert(keys.end(), input.keys.begin(), input.keys.end());
    dropped_files.insert(dropped_files.end(), input.dropped_files.begin(), input.dropped_files.end());
  }

 private:
  EglContext context_;
  int width_;
  int height_;
  unsigned int color_ = 0;
  unsigned int framebuffer_ = 0;
  bool presented_ = false;
  InjectedInput input_;
};

}  // namespace

std::unique_ptr<Surface> make_offscreen(const SurfaceOptions& options) {
  return std::make_unique<OffscreenSurface>(options);
}

namespace {

void set(ImagingParams& p, std::string_view key, double value) {
  if (const ParamSpec* spec = find_param(key)) set_number(p, *spec, value);
}

}  // namespace

void drag_display_window(ImagingParams& p, WindowGrip grip, const DisplayWindow& start, double moved_db) {
  const double moved = std::round(moved_db);
  switch (grip) {
    case WindowGrip::none:
      break;
    case WindowGrip::top:
      set(p, "dynamic_range_db", start.top_db + moved - start.bottom_db);
      set(p, "gain_db", -(start.bottom_db + p.display.dynamic_range_db));
      break;
    case WindowGrip::bottom:
      set(p, "dynamic_range_db", start.top_db - (start.bottom_db + moved));
      break;
    case WindowGrip::middle:
      set(p, "gain_db", -(start.top_db + moved));
      break;
  }
}

void reset_display_window(ImagingParams& p, const ImagingParams& defaults) {
  p.display.gain_db = defaults.display.gain_db;
  p.display.dynamic_range_db = defaults.display.dynamic_range_db;
}

void key_display_window(ImagingParams& p, const ImagingParams& defaults, const KeyPress& press) {
  const double step = press.shift ? 5.0 : 1.0;
  switch (press.key) {
    case Key::up:
      return set(p, "gain_db", p.display.gain_db + step);
    case Key::down:
      return set(p, "gain_db", p.display.gain_db - step);
    case Key::right:
      return set(p, "dynamic_range_db", p.display.dynamic_range_db + step);
    case Key::left:
      return set(p, "dynamic_range_db", p.display.dynamic_range_db - step);
    case Key::remove:
      return reset_display_window(p, defaults);
    default:
      return;
  }
}

double brightest_db(const LevelHistogram& h) {
  double top_db = h.first_db;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] > 0) top_db = h.first_db + static_cast<double>(i + 1) * h.step_db;
  }
  return h.above > 0 ? h.first_db + static_cast<double>(h.counts.size()) * h.step_db : top_db;
}

void reject_background(ImagingParams& p, const Background& b) {
  set(p, "reject_db", std::round(b.mean_db + kRejectSigmas * b.sigma_db));
}

void fit_window(ImagingParams& p, const Background& b, const LevelHistogram& histogram) {
  const double top_db = brightest_db(histogram);
  const double below = p.objects.kind == ObjectKind::bright ? 1.0 : 4.0;
  const double bottom_db = b.median_db - below * b.sigma_db;
  set(p, "gain_db", -std::ceil(top_db));
  set(p, "dynamic_range_db", std::round(-p.display.gain_db - bottom_db));
}

namespace {

using IoHandler = int (*)(void* display);                    // XIOErrorHandler: must not return
using ErrorHandler = int (*)(void* display, void* x_error);  // XErrorHandler

std::function<void(DisplayLoss)> work;

[[noreturn]] void end(DisplayLoss loss) {
  if (const auto finish = std::exchange(work, nullptr)) finish(loss);
  std::fflush(nullptr);
  std::_Exit(1);  // destructors must not use the window
}

int on_loss(void* /*display*/) { end(DisplayLoss::connection); }
int on_error(void* /*display*/, void* /*x_error*/) { end(DisplayLoss::request); }

// Sets a handler of the Xlib that GLFW has loaded: the program itself is not linked with it.
template <class Handler>
void set_handler(const char* setter_name, Handler handler) {
  void* const xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (xlib == nullptr) return;
  const auto setter = reinterpret_cast<Handler (*)(Handler)>(dlsym(xlib, setter_name));
  if (setter != nullptr) setter(handler);
}

}  // namespace

void finish_on_display_loss(std::function<void(DisplayLoss)> finish) {
  work = std::move(finish);
  set_handler<IoHandler>("XSetIOErrorHandler", on_loss);
  set_handler<ErrorHandler>("XSetErrorHandler", on_error);
}

}  // namespace echoloop
