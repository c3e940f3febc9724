#include "gui/gl/window_keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

#include "gui/gl/imgui_compat.h"

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

// Keys may be anywhere on other layouts: letters and brackets go by the character that the layout prints on them.
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
  switch (key) {  // those that repeat: steps, and undo
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

}  // namespace echoloop
