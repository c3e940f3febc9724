#include "gui/docks/scanner_dialogs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "gui/panels/scanner_rows.h"

namespace echoloop {
namespace {

constexpr float kPad = 20, kTitle = 44, kLine = 18, kRow = 22, kFoot = 56;  // logical pixels
constexpr std::size_t kMostShown = 4000;                                    // lines

Rect box_of(const Ui& ui, float width, float height) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = std::min(ui.px(width), screen.x - ui.px(16)), h = std::min(ui.px(height), screen.y - ui.px(16));
  const float x0 = std::round(0.5F * (screen.x - w)), y0 = std::round(0.5F * (screen.y - h));
  return {x0, y0, x0 + w, y0 + h};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; lines.size() < kMostShown && std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

void ScannerDialogs::draw(Ui& ui, const UiState& state, const UiCommands& commands) {
  draw_description(ui, state, commands);
  draw_network(ui, state, commands);
}

void ScannerDialogs::draw_description(Ui& ui, const UiState& state, const UiCommands& commands) {
  const auto now = state.scanner.has_value() ? state.scanner->description : nullptr;
  const Rect box = box_of(ui, 720, 560);
  if (!ui.begin_popup(kDescriptionPanel, box, theme::kPanel)) return;
  if (now != shown_) {
    shown_ = now;
    lines_ = now == nullptr ? std::vector<std::string>() : lines_of(*now);
    scroll_.reset();
  }
  const float left = box.x0 + ui.px(kPad), right = box.x1 - ui.px(kPad);
  ui.text(Type::strong, left, box.y0 + ui.px(10), ui.px(24), theme::kText, "Description of the scanner");
  const float row = ui.px(theme::kRow), bottom = box.y1 - ui.px(16) - row;
  const Rect area{left, box.y0 + ui.px(kTitle), right, box.y1 - ui.px(kFoot)};
  ui.fill(area, theme::kField);
  const Rect inside{area.x0 + ui.px(8), area.y0 + ui.px(6), area.x1 - ui.px(8), area.y1 - ui.px(6)};
  float y = scroll_.begin(ui, "description_bar", inside);
  for (const std::string& line : lines_) {
    if (y + ui.px(kLine) > inside.y0 && y < inside.y1) {
      ui.text_fitted(Type::small, inside.x0, inside.x1, y, ui.px(kLine), theme::kText, line);
    }
    y += ui.px(kLine);
  }
  scroll_.end(ui, y);
  const float wide = ui.px(130), between = ui.px(8);
  const Tip saves{"Save as JSON", "Writes the description as a JSON file, as it lies beside a recording.",
                  why_no_files(state)};
  if (ui.button("description_copy", {left, bottom, left + ui.px(84), bottom + row}, {.label = "Copy"},
                {"Copy", "Copies the description to the clipboard.", {}}) &&
      now != nullptr) {
    ImGui::SetClipboardText(now->c_str());
  }
  const float save = left + ui.px(84) + between;
  if (ui.button("description_save", {save, bottom, save + wide, bottom + row}, {.label = "Save as JSON"}, saves)) {
    call(commands.save_description);
  }
  if (ui.button("description_close", {right - ui.px(100), bottom, right, bottom + row},
                {.label = "Close", .shortcut = "Esc"}, {})) {
    ui.close_popup();
  }
  ui.end_popup();
}

void ScannerDialogs::draw_network(Ui& ui, const UiState& state, const UiCommands& commands) {
  constexpr std::string_view kWhat =
      "Programs on other machines of this network can then connect, if they send the word in the token file. Samples "
      "are not encrypted. The file is created if it does not exist; copy it to the machine of the sender.";
  constexpr float kWidth = 560, kLabel = 110;
  const float wrap = box_of(ui, kWidth, 0).width() - ui.px(2 * kPad), line = ui.px(kRow);
  const float text = ui.paragraph_height(Type::body, wrap, line, kWhat);
  const Rect box = box_of(ui, kWidth, kTitle + 3 * kRow + kFoot + 16 + text / ui.px(1));
  if (!ui.begin_popup(kNetworkPanel, box, theme::kPanel)) {
    port_ = {};
    return;
  }
  if (port_.front() == '\0') fmt::format_to_n(port_.data(), port_.size() - 1, "{}", kLivePort);
  const float left = box.x0 + ui.px(kPad), right = box.x1 - ui.px(kPad);
  ui.text(Type::strong, left, box.y0 + ui.px(10), ui.px(24), theme::kText, "Open a port on the network?");
  float y = box.y0 + ui.px(kTitle);
  ui.text(Type::body, left, y, line, theme::kText2, "Port");
  const bool entered =
      ui.text_line("network_port", {left + ui.px(kLabel), y, left + ui.px(kLabel + 90), y + line}, port_, false);
  y += ui.px(kRow + 6);
  ui.text(Type::body, left, y, line, theme::kText2, "Token file");
  ui.text_fitted(Type::body, left + ui.px(kLabel), right, y, line, theme::kText, state.opening.scanner_token);
  y += ui.px(kRow + 6);
  ui.paragraph(Type::body, left, y, wrap, line, theme::kText2, kWhat);
  std::uint16_t port = 0;
  const std::string_view typed(port_.data());
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), port);
  const std::string_view why = error == std::errc() && end == typed.data() + typed.size() && port > 0
                                   ? std::string_view()
                                   : std::string_view("Port: a number from 1 to 65535.");
  const float row = ui.px(theme::kRow), bottom = box.y1 - ui.px(16) - row;
  const float button = ui.px(100), between = ui.px(8);
  const bool listens =
      ui.button("network_listen", {right - 2 * button - between, bottom, right - button - between, bottom + row},
                {.label = "Open port"}, {"Open port", "Waits for a sender at this port.", why});
  if ((listens || entered) && why.empty()) {
    if (commands.open_network_scanner) commands.open_network_scanner(port);
    ui.close_popup();
  }
  if (ui.button("network_cancel", {right - button, bottom, right, bottom + row},
                {.label = "Cancel", .shortcut = "Esc", .emphasis = Emphasis::primary}, {})) {
    ui.close_popup();
  }
  ui.end_popup();
}

}  // namespace echoloop
