#include "gui/bare_screen.h"

#include <glad/gl.h>

#include <utility>

namespace echoloop::testing {
namespace {

// One atlas per scale, for all contexts.
struct Letters {
  ImFontAtlas atlas;
  Fonts fonts;
};

const Fonts& fonts_of(float scale, ImFontAtlas*& atlas) {
  static std::map<float, std::unique_ptr<Letters>> known;
  std::unique_ptr<Letters>& letters = known[scale];
  if (letters == nullptr) {
    letters = std::make_unique<Letters>();
    ImGuiContext* builder = ImGui::CreateContext(&letters->atlas);
    ImGui::SetCurrentContext(builder);
    letters->fonts.build(scale);
    ImGui::DestroyContext(builder);
  }
  atlas = &letters->atlas;
  return letters->fonts;
}

// Allows the deletion of textures that were never made.
void do_without_opengl() {
  if (glad_glDeleteTextures == nullptr) glad_glDeleteTextures = [](GLsizei, const GLuint*) {};
}

}  // namespace

Image test_image() {
  Image image;
  image.number = 1;
  image.grid = {.x0_m = -20e-3, .x1_m = 20e-3, .z0_m = 2e-3, .z1_m = 38e-3, .nx = 101, .nz = 101};
  image.acquisition = scene_acquisition();
  image.params = default_params(*image.acquisition);
  return image;
}

BareScreen::BareScreen(const BareWindow& window, UiState initial, const Image& image)
    : state(std::move(initial)), window_(window), image_(image) {
  do_without_opengl();
  ImFontAtlas* atlas = nullptr;
  fonts_ = &fonts_of(static_cast<float>(window.scale), atlas);
  context_ = ImGui::CreateContext(atlas);
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(window.width), static_cast<float>(window.height)};
  ImGui::GetStyle().WindowMinSize = {1, 1};
  screen = std::make_unique<Screen>(make_commands(), window.view);
}

BareScreen::~BareScreen() { ImGui::DestroyContext(context_); }

UiCommands BareScreen::make_commands() {
  const auto note = [this](const char* name) { return [this, name](const auto&...) { commands.insert(name); }; };
  UiCommands c;
  c.params_changed = note("params_changed");
  c.stream_changed = note("stream_changed");
  c.open_phantom = note("open_phantom");
  c.open_file = note("open_file");
  c.facts_changed = note("facts_changed");
  c.cancel = note("cancel");
  c.toggle_freeze = note("toggle_freeze");
  c.cine_changed = note("cine_changed");
  c.save_timings = note("save_timings");
  c.save = note("save");
  c.toggle_record = note("toggle_record");
  c.preset = note("preset");
  c.say = note("say");
  c.hint = [this](const std::string& text) {
    commands.insert("hint");
    hints.push_back(text);
  };
  c.auto_reference = note("auto_reference");
  c.compare_with = note("compare_with");
  c.swap_recordings = note("swap_recordings");
  c.restart = note("restart");
  c.reset = note("reset");
  c.use_cpu = note("use_cpu");
  c.dismiss_message = note("dismiss_message");
  return c;
}

void BareScreen::frame(const std::vector<KeyPress>& keys) {
  ImGui::SetCurrentContext(context_);
  ImGui::GetIO().DeltaTime = 1.0F / 60.0F;
  ImGui::NewFrame();
  screen->draw(state, {.fonts = *fonts_,
                       .scale = static_cast<float>(window_.scale),
                       .image = image_,
                       .last_image = image_,
                       .level_db = [](const Image&, int, int) { return -20.0F; },
                       .levels = levels_,
                       .compared_levels = compared_levels_,
                       .keys = keys,
                       .strip = strip_});
  ImGui::EndFrame();
  clicked.insert(clicked.end(), screen->ui().clicked().begin(), screen->ui().clicked().end());
}

void BareScreen::click(float x, float y) {
  ImGui::SetCurrentContext(context_);
  compat::set_mouse({x, y}, false, false, false, 0);
  frame();
  for (const bool down : {true, false}) {
    compat::set_mouse({x, y}, down, false, false, 0);
    frame();
  }
  compat::set_mouse({-1, -1}, false, false, false, 0);
  frame();
}

void BareScreen::wheel(float x, float y, float steps, Held held) {
  ImGui::SetCurrentContext(context_);
  compat::set_mouse({x, y}, false, false, false, 0);
  frame();
  compat::set_control_key(held == Held::control);
  compat::set_mouse({x, y}, false, false, false, steps);
  frame();
  compat::set_control_key(false);
  compat::set_mouse({x, y}, false, false, false, 0);
  frame();
}

}  // namespace echoloop::testing
