#include "gui/bare_screen.h"

#include <glad/gl.h>

#include <utility>

#include "gui/state/any_command.h"

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

BareScreen::BareScreen(const BareWindow& window, WindowState initial, const Image& image)
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
  screen = std::make_unique<Screen>(queue_, Queries{}, window.view);
}

BareScreen::~BareScreen() { ImGui::DestroyContext(context_); }

void BareScreen::frame(const std::vector<KeyPress>& keys) {
  ImGui::SetCurrentContext(context_);
  ImGui::GetIO().DeltaTime = 1.0F / 60.0F;
  ImGui::NewFrame();
  screen->draw(state, state,
               {.fonts = *fonts_,
                .scale = static_cast<float>(window_.scale),
                .image = image_,
                .last_image = image_,
                .level_db = [](const Image&, int, int) { return -20.0F; },
                .levels = levels_,
                .compared_levels = compared_levels_,
                .keys = keys,
                .strip = strip_});
  ImGui::EndFrame();
  for (const AnyCommand& command : queue_.take()) {
    commands.emplace(info_of(command).name);
    if (const auto* hint = std::get_if<command::Hint>(&command)) hints.push_back(hint->text);
  }
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
