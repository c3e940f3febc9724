#include "gui/viewer.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/figure/figure_strip.h"
#include "gui/gl/image_set.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/screen.h"
#include "gui/toolkit/image_painter.h"
#include "gui/toolkit/theme.h"
#include "gui/view/m_mode.h"
#include "gui/window_renderer.h"

namespace echoloop {
namespace {

std::unique_ptr<Surface> make_surface(const ViewerOptions& o, const ViewSettings& settings) {
  const SurfaceOptions options{.width = o.width,
                               .height = o.height,
                               .ui_scale = o.ui_scale > 0 ? o.ui_scale : static_cast<double>(settings.scale),
                               .vsync = o.vsync,
                               .place = o.remembered_place ? settings.place : WindowPlace{}};
  return o.surface == SurfaceKind::offscreen ? make_offscreen(options) : make_window(options);
}

}  // namespace

struct Viewer::Impl {
  Impl(const ViewerOptions& o, Commands& to, LiveImages& live, PastImages* past)
      : options(o),
        saved(load_view_settings(o.settings_file, o.first_mode)),
        surface(make_surface(o, saved)),
        imgui(*surface),
        pictures(o.interop == Interop::try_it ? ImageSet::Way::interop_if_possible : ImageSet::Way::host, live, past),
        flow(live.of<FlowImage>(), past),
        followers(make_followers(live)),
        spectrogram(live.of<Spectrogram>()),
        strip(live.line, past != nullptr ? &past->line : nullptr),
        renderer(o.shader_dir),
        screen(to, o.queries, saved) {
    clock.frame_ns = clock.input_ns = now_ns();
    if (o.first_tour == FirstTour::show && !saved.toured && !o.settings_file.empty()) begin_first_tour();
  }

  // Begins the tour only if the settings can be saved, as it is shown once.
  void begin_first_tour() {
    screen.set_toured();
    saved = screen.settings();
    if (save_view_settings(options.settings_file, saved)) screen.begin_tour();
  }

  [[nodiscard]] float wanted_scale() const;
  [[nodiscard]] float fitting(float wanted) const;
  void begin_frame();
  [[nodiscard]] WindowFrame window_frame();
  [[nodiscard]] bool touched() const {
    constexpr std::int64_t kAfterInput_ns = 500'000'000;
    return screen.moving() || now_ns() - clock.input_ns < kAfterInput_ns;
  }
  bool take_pictures(const Model& model, const Edits& edits);
  void compare_with_source(Model& model);
  [[nodiscard]] bool stands_in() const { return shown_source.other_source || pictures.coarse(); }
  // Returns the image of the current source; none while its first one is awaited, or a coarse one is drawn before it.
  [[nodiscard]] const Image& image() const {
    static const Image none;
    return stands_in() ? none : pictures.shown();
  }
  [[nodiscard]] const Image* compared() const { return stands_in() ? nullptr : pictures.compared(); }
  void refresh_levels(const Edits& edits);
  void remember_settings(const Model& model);
  void save_settings();

  struct Clock {
    std::int64_t place_changed_ns = 0, frame_ns = 0, input_ns = 0;
  };
  struct Frame {
    float scale = 0;
    bool dropped = false;  // a file was dropped since the previous frame
    FrameTimes times;
    bool fresh = false;
    bool drawn = false;
  };

  ViewerOptions options;
  ViewSettings saved;
  std::unique_ptr<Surface> surface;
  ImguiSession imgui;
  ImageSet pictures;
  struct {
    bool other_source = false;  // the image in `pictures` is of the previous source
    std::string of;             // name of the source of the last image that was not
  } shown_source;
  FlowTexture flow;
  std::vector<std::unique_ptr<AnalysisFollower>> followers;
  SpectrogramStrip spectrogram;
  MModeStrip strip;
  LevelReader levels, compared_levels;
  LevelMatcher matcher;
  WindowRenderer renderer;
  Fonts fonts;
  Screen screen;
  Clock clock;
  Frame last;
  struct {
    ImagingParams params;
    DisplayParams of_a;  // display of side A of a comparison
  } display;
  std::string report;  // message of a reloaded shader
};

bool Viewer::Impl::take_pictures(const Model& model, const Edits& edits) {
  const ImageOrigin source = edits.cine.compare              ? ImageOrigin::compared_past
                             : model.run != RunState::frozen ? ImageOrigin::live
                                                             : ImageOrigin::past;
  const bool fresh = pictures.take(source);
  const ImageSet::Times& t = pictures.times();
  last.times.present_start = t.start_ns;
  last.times.present_end = t.end_ns;
  last.times.present_sequence = t.sequence;
  last.times.texture_ns = t.texture_ns;
  last.times.device_wait_ns = t.device_wait_ns;
  return fresh;
}

// Keeps the name of a source with its images. A history frame of a scanner's earlier description is shown as it is.
void Viewer::Impl::compare_with_source(Model& model) {
  const Image& shown = pictures.shown();
  std::optional<AwaitedImage>& awaited = model.image.awaited;
  const bool kept = model.source.live && model.run == RunState::frozen;
  const bool known = shown.acquisition != nullptr && model.source.acquisition != nullptr;
  shown_source.other_source = known && shown.acquisition != model.source.acquisition && !kept;
  model.image.coarse = pictures.coarse() && !shown_source.other_source;
  if (shown_source.other_source) {
    if (!awaited) awaited = AwaitedImage{.shown_of = shown_source.of, .since_ns = now_ns()};
    return;
  }
  awaited.reset();
  if (shown.number == 0) return;
  if (model.scanner.has_value()) model.source.name = model.scanner->name_at(shown.stamp.sequence, model.source.name);
  shown_source.of = model.source.name;
}

// Refreshes both sides of a comparison together, from one frame: A and B arrive one after the other.
void Viewer::Impl::refresh_levels(const Edits& edits) {
  const Image& b = image();
  const Image* a = compared();
  const bool same_source = a != nullptr && a->acquisition == b.acquisition;
  if (!same_source || a->stamp.sequence == b.stamp.sequence) {
    levels.refresh(b, pictures.texture());
    compared_levels.refresh(a != nullptr ? *a : Image{}, pictures.compared_texture());
  }
  if (a != nullptr && edits.cine.match_levels) {
    matcher.update(levels, compared_levels);
  } else {
    matcher.stop();
  }
}

// Returns the scale set in the window, else by the command line, the last run, the monitor.
float Viewer::Impl::wanted_scale() const {
  const bool asked = options.ui_scale > 0;
  float wanted = asked ? static_cast<float>(options.ui_scale) : surface->content_scale();
  if (const float kept = screen.settings().scale; kept > 0 && (screen.scale_chosen() || !asked)) wanted = kept;
  return std::clamp(wanted, 0.5F, 4.0F);
}

float Viewer::Impl::fitting(float wanted) const {
  return fitting_scale(wanted, static_cast<float>(surface->width()), static_cast<float>(surface->height()));
}

void Viewer::Impl::begin_frame() {
  const float now = fitting(wanted_scale());
  if (now != last.scale) {
    last.scale = now;
    imgui.build_fonts(fonts, now);
  }
  const std::int64_t t = now_ns();
  const double delta_s = std::clamp(static_cast<double>(t - clock.frame_ns) * 1e-9, 1e-4, 1.0);
  clock.frame_ns = t;
  ImGui_ImplOpenGL3_NewFrame();
  surface->new_frame(delta_s);
  ImGui::NewFrame();
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown() ||
      !surface->keys.empty() || !io.InputQueueCharacters.empty() || last.dropped) {
    last.dropped = false;
    clock.input_ns = t;
  }
}

WindowFrame Viewer::Impl::window_frame() {
  return {.surface = *surface,
          .screen = screen,
          .texture = pictures.texture(),
          .shown = pictures.shown(),
          .compared_texture = pictures.compared_texture(),
          .compared = compared(),
          .flow = flow,
          .strip = strip,
          .spectrogram = spectrogram,
          .display = display.params,
          .display_a = display.of_a,
          .matched = matcher.matched(),
          .touched = touched(),
          .stands_in = stands_in(),
          .fresh = last.fresh};
}

// Saves the settings; the place of a window being moved once it rests.
void Viewer::Impl::remember_settings(const Model& model) {
  if (options.settings_file.empty() || ImGui::IsAnyMouseDown()) return;
  constexpr std::int64_t kRest_ns = 1'000'000'000;
  if (screen.remember(model, surface->place)) clock.place_changed_ns = now_ns();
  if (screen.settings() == saved) return;
  ViewSettings but_for_place = screen.settings();
  but_for_place.place = saved.place;
  if (but_for_place == saved && now_ns() - clock.place_changed_ns < kRest_ns) return;
  save_settings();
}

void Viewer::Impl::save_settings() {
  saved = screen.settings();
  save_view_settings(options.settings_file, saved);
}

Viewer::Viewer(const ViewerOptions& options, Commands& commands, LiveImages& live, PastImages* past)
    : impl_(std::make_unique<Impl>(options, commands, live, past)) {}

Viewer::~Viewer() {
  if (!impl_->options.settings_file.empty() && impl_->screen.settings() != impl_->saved) impl_->save_settings();
}

bool Viewer::should_close() const {
  return impl_->options.closing == Closing::by_user && (impl_->screen.quit() || impl_->surface->should_close());
}

bool Viewer::frame(WindowState& state) {
  Model& model = state;
  Edits& edits = state;
  Impl& v = *impl_;
  v.last.times = {};
  v.last.times.draw_start = now_ns();
  v.surface->poll(0.0);
  for (const auto& file : std::exchange(v.surface->dropped_files, {})) {
    v.last.dropped = true;
    v.screen.commands().send(command::OpenFile{file});
    break;  // one window, one recording
  }
  bool redraw = std::exchange(v.surface->exposed, false);
  if (v.renderer.reload_if_changed(v.report)) {
    redraw = true;
    model.say(Severity::info, v.report);
  }
  v.last.fresh = v.take_pictures(model, edits);
  v.compare_with_source(model);
  v.flow.take(model, edits, v.image());
  for (const auto& follower : v.followers) follower->take(model, edits, v.image());
  v.spectrogram.take(model, edits, v.image());
  edits.view.m_mode.wanted = v.screen.settings().has_m_mode();
  v.strip.take(model, edits, v.image());
  v.strip.look(v.screen.settings().transient.m_mode_span_s);
  v.refresh_levels(edits);
  v.begin_frame();
  v.screen.draw(model, edits,
                {.fonts = v.fonts,
                 .scale = v.last.scale,
                 .wanted_scale = v.wanted_scale(),
                 .motion = v.options.motion,
                 .image = v.image(),
                 .last_image = v.pictures.shown(),
                 .compared = v.compared(),
                 .level_db = [&v](const Image& image, int ix, int iz) { return v.pictures.level_db(image, ix, iz); },
                 .levels = v.levels,
                 .compared_levels = v.compared_levels,
                 .matched = v.matcher.matched().number != 0,
                 .keys = v.surface->keys,
                 .strip = v.strip});
  v.surface->keys.clear();
  if (v.screen.take_full_screen()) v.surface->toggle_full_screen();
  ImGui::Render();
  v.display = {edits.params, edits.cine.a.display};
  const WindowFrame look = v.window_frame();
  v.last.drawn = redraw || !v.renderer.is_drawn(look);
  if (v.last.drawn) v.renderer.draw(look, redraw ? Extent::all : Extent::as_needed);
  v.remember_settings(model);
  v.last.times.draw_end = now_ns();
  if (v.last.drawn) v.surface->present();
  v.last.times.shown = now_ns();
  return v.last.fresh && !v.stands_in();
}

void Viewer::wait_events(double timeout_s) {
  if (timeout_s > 0.0) impl_->surface->poll(timeout_s);
}

bool Viewer::drawn() const { return impl_->last.drawn; }

bool Viewer::wants_frame() const { return impl_->touched() || impl_->screen.playing(); }

std::vector<float> Viewer::shown_db() const { return impl_->pictures.db_of(impl_->image()); }

const Image* Viewer::compared_image() const { return impl_->compared(); }

std::vector<float> Viewer::compared_db() const {
  const Image* image = compared_image();
  return image == nullptr ? std::vector<float>() : impl_->pictures.db_of(*image);
}

std::vector<FigureStrip> Viewer::strips_on_screen(const WindowState& state) const {
  const Impl& v = *impl_;
  const TransientView& view = v.screen.settings().transient;
  std::vector<FigureStrip> strips;
  if (v.screen.strips().m_mode.width() > 0 && !v.strip.empty() && state.view.inspected) {
    strips.push_back(figure_m_mode(v.strip, state, shown_image(), view.m_mode_span_s));
  }
  if (v.screen.strips().spectrogram.width() > 0 && v.spectrogram.shown() != nullptr) {
    const Spectrogram& s = *v.spectrogram.shown();
    const bool frozen = state.run == RunState::frozen;
    strips.push_back(figure_doppler(s, state.params, view.doppler.span_s,
                                    view.doppler.curves ? DopplerCurves::shown : DopplerCurves::none,
                                    frozen ? frame_place_s(s, shown_image(), view.doppler.span_s) : std::nullopt));
  }
  return strips;
}

bool Viewer::needs_host_image() const { return impl_->pictures.needs_host_image(); }
const std::string& Viewer::interop_status() const { return impl_->pictures.status(); }
std::string Viewer::gl_renderer() const { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }
const Viewer::FrameTimes& Viewer::times() const { return impl_->last.times; }
const Image& Viewer::shown_image() const { return impl_->image(); }
const Image& Viewer::drawn_image() const { return impl_->pictures.shown(); }

RgbImage Viewer::screenshot() const {
  Impl& v = *impl_;
  if (ImGui::GetDrawData() == nullptr) return {};
  v.renderer.draw(v.window_frame(), Extent::all);  // the back buffer is undefined after the window was shown
  RgbImage picture{.width = v.surface->width(), .height = v.surface->height(), .rgb = {}};
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

const ViewSettings& Viewer::settings() const { return impl_->screen.settings(); }
void Viewer::apply_layout(const LayoutText& layout) { impl_->screen.set_layout(layout); }
void Viewer::reset_view() { impl_->screen.reset_view(); }
void Viewer::restore_view(const ViewSettings& settings, KeptSettings keeping) {
  impl_->screen.restore_view(settings, keeping);
}
double Viewer::idle_s() const { return static_cast<double>(now_ns() - impl_->clock.input_ns) * 1e-9; }
void Viewer::forget_image() { impl_->pictures.forget(); }
void Viewer::inject(const InjectedInput& input) { impl_->surface->inject(input); }
Screen& Viewer::screen() const { return impl_->screen; }

}  // namespace echoloop
