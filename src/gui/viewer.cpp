#include "gui/viewer.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "core/units.h"
#include "gui/frame_texture.h"
#include "gui/imgui_session.h"
#include "gui/screen.h"
#include "gui/window_renderer.h"

namespace echoloop {
namespace {

std::unique_ptr<Surface> make_surface(const ViewerOptions& o) {
  const SurfaceOptions options{.width = o.width, .height = o.height, .ui_scale = o.ui_scale, .vsync = o.vsync};
  return o.surface == SurfaceKind::offscreen ? make_offscreen(options) : make_window(options);
}

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return text;
}

}  // namespace

struct Viewer::Impl {
  Impl(const ViewerOptions& o, UiCommands commands, Mailbox<Image>& mailbox, PastImages* past_images)
      : options(o),
        images(mailbox),
        past(past_images),
        surface(make_surface(o)),
        imgui(*surface),
        renderer(o.shader_dir),
        screen(std::move(commands), load_view_settings(o.settings_file)),
        saved(screen.settings()) {
    if (options.interop == Interop::try_it) texture = make_cuda_texture(interop_status);
    if (texture != nullptr) {
      interop_status = "pictures stay on the GPU (CUDA-OpenGL interop)";
    } else {
      texture = make_host_texture();
      interop_status = "pictures pass through host memory" + (interop_status.empty() ? "" : ": " + interop_status);
    }
    last_frame_ns = now_ns();
  }

  ~Impl() { texture->finish_reading(); }

  bool take_image();
  void begin_frame();
  void render(Extent extent);
  [[nodiscard]] bool touched() const {
    constexpr std::int64_t kAfterInput_ns = 500'000'000;
    return screen.moving() || now_ns() - last_input_ns < kAfterInput_ns;
  }
  float level_db(int ix, int iz) const;
  void remember_settings();

  ViewerOptions options;
  Mailbox<Image>& images;
  PastImages* past;
  std::unique_ptr<Surface> surface;
  ImguiSession imgui;
  WindowRenderer renderer;
  Fonts fonts;
  Screen screen;
  ViewSettings saved;
  std::unique_ptr<FrameTexture> texture;
  std::string interop_status;
  Image shown;  // what the texture holds; its host copy is readable until the next take
  ImagingParams display;
  float scale = 0;
  std::int64_t last_frame_ns = 0;
  std::int64_t last_input_ns = 0;
  FrameTimes times;
  std::string report;  // of a shader that was read again
};

bool Viewer::Impl::take_image() {
  texture->finish_reading();
  if (!images.take()) return false;
  const Image& image = images.front();
  shown.host_db = nullptr;  // the old picture's memory is the pipeline's again
  if (image.number == 0 || image.grid.nx < 1) return false;
  if (!texture->update(image)) {
    if (!texture->needs_host_image()) {
      texture = make_host_texture();
      interop_status = "CUDA-OpenGL interop failed: pictures now pass through host memory";
    }
    if (!texture->update(image)) return false;
  }
  shown = image;
  shown.storage.reset();
  return true;
}

void Viewer::Impl::begin_frame() {
  const float wanted = options.ui_scale > 0 ? static_cast<float>(options.ui_scale) : surface->content_scale();
  const float now = std::clamp(wanted, 0.5F, 4.0F);
  if (now != scale) {
    scale = now;
    imgui.build_fonts(fonts, scale);
  }
  const std::int64_t t = now_ns();
  const double delta_s = std::clamp(static_cast<double>(t - last_frame_ns) * 1e-9, 1e-4, 1.0);
  last_frame_ns = t;
  ImGui_ImplOpenGL3_NewFrame();
  surface->new_frame(delta_s);
  ImGui::NewFrame();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown() ||
      !surface->keys.empty()) {
    last_input_ns = t;
  }
}

float Viewer::Impl::level_db(int ix, int iz) const {
  if (shown.host_db != nullptr)
    return shown
        .host_db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(shown.grid.nx) + static_cast<std::size_t>(ix)];
  float value = std::numeric_limits<float>::quiet_NaN();
  if (shown.number != 0)
    glGetTextureSubImage(texture->gl_texture(), 0, ix, iz, 0, 1, 1, 1, GL_RED, GL_FLOAT, sizeof value, &value);
  return value;
}

void Viewer::Impl::render(Extent extent) {
  renderer.draw({.surface = *surface,
                 .screen = screen,
                 .texture = texture->gl_texture(),
                 .shown = shown,
                 .display = display,
                 .touched = touched()},
                extent);
}

void Viewer::Impl::remember_settings() {
  if (options.settings_file.empty() || screen.settings() == saved || ImGui::IsAnyMouseDown()) return;
  saved = screen.settings();
  save_view_settings(options.settings_file, saved);
}

Viewer::Viewer(const ViewerOptions& options, UiCommands commands, Mailbox<Image>& images, PastImages* past)
    : impl_(std::make_unique<Impl>(options, std::move(commands), images, past)) {}

Viewer::~Viewer() = default;

bool Viewer::should_close() const { return impl_->surface->should_close(); }

bool Viewer::frame(UiState& state) {
  Impl& v = *impl_;
  v.surface->poll(0.0);
  for (const auto& file : std::exchange(v.surface->dropped_files, {})) {
    call(v.screen.commands().open_file, file);
    break;  // one window, one recording
  }
  if (v.renderer.reload_if_changed(v.report)) {
    state.messages.insert(state.messages.begin(), {Severity::info, clock_text(), v.report});
  }
  v.times = {};
  v.times.draw_start = v.times.present_start = now_ns();
  const bool fresh = v.take_image();
  v.times.present_end = now_ns();
  v.begin_frame();
  v.screen.draw(state, {.fonts = v.fonts,
                        .scale = v.scale,
                        .image = v.shown,
                        .level_db = [&v](int ix, int iz) { return v.level_db(ix, iz); },
                        .keys = v.surface->keys});
  v.surface->keys.clear();
  if (v.screen.take_full_screen()) v.surface->toggle_full_screen();
  ImGui::Render();
  v.display = state.params;
  v.render(Extent::as_needed);
  v.times.draw_end = now_ns();
  v.surface->present();
  v.times.shown = now_ns();
  v.remember_settings();
  return fresh;
}

void Viewer::wait_events(double timeout_s) {
  if (timeout_s > 0.0) impl_->surface->poll(timeout_s);
}

bool Viewer::wants_frame() const { return impl_->touched(); }

std::vector<float> Viewer::shown_db() const {
  const Image& image = impl_->shown;
  if (image.number == 0) return {};
  if (image.host_db != nullptr) return {image.host().begin(), image.host().end()};
  std::vector<float> values(image.grid.pixels());
  glGetTextureImage(impl_->texture->gl_texture(), 0, GL_RED, GL_FLOAT,
                    static_cast<GLsizei>(values.size() * sizeof(float)), values.data());
  return values;
}

bool Viewer::needs_host_image() const { return impl_->texture->needs_host_image(); }
const std::string& Viewer::interop_status() const { return impl_->interop_status; }
std::string Viewer::gl_renderer() const { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }
const Viewer::FrameTimes& Viewer::times() const { return impl_->times; }
const Image& Viewer::shown_image() const { return impl_->shown; }

RgbPicture Viewer::screenshot() const {
  Impl& v = *impl_;
  if (ImGui::GetDrawData() == nullptr) return {};
  v.render(Extent::all);  // the window's back buffer holds nothing certain after it was shown
  RgbPicture picture{.width = v.surface->width(), .height = v.surface->height(), .rgb = {}};
  const std::size_t row = static_cast<std::size_t>(picture.width) * 3;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(picture.height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, v.surface->framebuffer());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  picture.rgb.reserve(upside_down.size());
  for (int y = picture.height - 1; y >= 0; --y) {
    const auto begin = upside_down.begin() + static_cast<std::ptrdiff_t>(row) * y;
    picture.rgb.insert(picture.rgb.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
  }
  return picture;
}

void Viewer::forget_image() {
  impl_->texture->finish_reading();
  impl_->shown = {};
}

void Viewer::inject(const InjectedInput& input) { impl_->surface->inject(input); }
Rect Viewer::image_rect() const { return impl_->screen.picture(); }
Rect Viewer::control_rect(const std::string& id) const { return impl_->screen.rect_of(id); }

}  // namespace echoloop
