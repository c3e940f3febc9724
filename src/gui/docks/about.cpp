#include "gui/docks/about.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace echoloop {
namespace {

constexpr const char* kSandboxDialog = "sandbox_dialog";
constexpr float kAboutPad = 20, kAboutTitle = 44, kLine = 22, kAboutGap = 12, kFoot = 56;  // logical pixels

// In the middle of the window.
Rect box_of(const Ui& ui, float width, float height) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = std::min(ui.px(width), screen.x - ui.px(16));
  const float x0 = std::round(0.5F * (screen.x - w)), y0 = std::round(0.5F * (screen.y - height));
  return {x0, y0, x0 + w, y0 + height};
}

}  // namespace

void draw_about(Ui& ui, const ProgramFacts& facts) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> rows{{
      {"Version", facts.version},
      {"Reader process", facts.sandbox},
      {"Licence", facts.licence},
      {"Library notices", facts.notices.empty() ? std::string_view("in the installed package") : facts.notices},
  }};
  constexpr float kWidth = 640, kLabel = 130;
  const Rect box = box_of(ui, kWidth, ui.px(kAboutTitle + kFoot + kLine * static_cast<float>(rows.size())));
  if (!ui.begin_popup(kAboutPanel, box, theme::kPanel)) return;
  const float left = box.x0 + ui.px(kAboutPad), right = box.x1 - ui.px(kAboutPad);
  ui.text(Type::strong, left, box.y0 + ui.px(10), ui.px(24), theme::kText, "Echoloop");
  float y = box.y0 + ui.px(kAboutTitle);
  for (const auto& [label, value] : rows) {
    ui.text(Type::body, left, y, ui.px(kLine), theme::kText2, label);
    const float x = left + ui.px(kLabel);
    const std::string id = "about/" + std::string(label);
    const Rect r{x, y, right, y + ui.px(kLine)};
    ui.text_fitted(Type::body, x, right, y, ui.px(kLine), theme::kText, value);
    ui.tip(id.c_str(), ui.hit(id.c_str(), r), r, {label, value, {}});
    y += ui.px(kLine);
  }
  const float row = ui.px(theme::kRow), bottom = box.y1 - ui.px(16) - row;
  if (ui.button("close_about", {right - ui.px(100), bottom, right, bottom + row}, {.label = "Close", .shortcut = "Esc"},
                {})) {
    ui.close_popup();
  }
  ui.end_popup();
}

std::optional<SandboxAnswer> SandboxDialog::draw(Ui& ui, const std::optional<std::string>& file) {
  if (!file) {
    open_ = false;
    return std::nullopt;
  }
  if (!std::exchange(open_, true)) ui.open_popup(kSandboxDialog);
  constexpr std::string_view kWhy =
      "This system offers neither seccomp nor Landlock, which confine the process that reads a recording. A file made "
      "for an attack could act with all rights of this user. Open files of known origin only. The answer applies until "
      "the program ends.";
  constexpr float kWidth = 560;
  const float wrap = box_of(ui, kWidth, 0).width() - ui.px(2 * kAboutPad), line = ui.px(kLine);
  const float text = ui.paragraph_height(Type::body, wrap, line, kWhy);
  const Rect box = box_of(ui, kWidth, ui.px(kAboutTitle + kAboutGap + kFoot) + line + text);
  if (!ui.begin_popup(kSandboxDialog, box, theme::kPanel)) return SandboxAnswer::cancel;
  const float left = box.x0 + ui.px(kAboutPad), right = box.x1 - ui.px(kAboutPad);
  ui.text(Type::strong, left, box.y0 + ui.px(10), ui.px(24), theme::kText, "Open without sandbox?");
  const float y = box.y0 + ui.px(kAboutTitle);
  ui.text_fitted(Type::body, left, right, y, line, theme::kText, *file);
  ui.paragraph(Type::body, left, y + line + ui.px(kAboutGap) * 0.5F, wrap, line, theme::kText2, kWhy);
  const float row = ui.px(theme::kRow), bottom = box.y1 - ui.px(16) - row;
  const float cancel = ui.px(100), open = ui.px(190), between = ui.px(8);
  std::optional<SandboxAnswer> answer;
  if (ui.button("sandbox_open", {right - cancel - between - open, bottom, right - cancel - between, bottom + row},
                {.label = "Open without sandbox"}, {})) {
    answer = SandboxAnswer::open;
  }
  if (ui.button("sandbox_cancel", {right - cancel, bottom, right, bottom + row},
                {.label = "Cancel", .shortcut = "Esc", .emphasis = Emphasis::primary}, {})) {
    answer = SandboxAnswer::cancel;
  }
  ui.focus().begin_at("sandbox_cancel");
  if (answer) ui.close_popup();
  ui.end_popup();
  return answer;
}

}  // namespace echoloop
