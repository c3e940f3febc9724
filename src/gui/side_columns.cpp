#include "gui/side_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

#include "gui/docks/docks.h"
#include "gui/key_commands.h"
#include "gui/panels/panels.h"
#include "gui/toolkit/layout.h"

namespace echoloop {

void PanelColumn::begin(PanelContext& c, const char* bar, const Rect& area) {
  c_ = &c;
  area_ = area;
  const std::pair layout{c.compact, c.view.mode};
  if (std::exchange(layout_, layout) != layout) {
    was_open_.clear();
    heights_.clear();
  }
  c.ui.tips_beside(area);
  const float padding = c.ui.px(c.compact ? 12 : 16);
  start_ = scroll_.begin(c.ui, bar, area);
  if (scroll_.moved()) opened_.reset();  // the user scrolls away
  column_ = {area.x0 + padding, area.x1 - padding, start_ + c.ui.px(4), c.compact};
  first_ = true;
}

Column& PanelColumn::next() {
  const Ui& ui = c_->ui;
  if (!first_) {
    column_.y += ui.px(3);
    ui.horizontal(area_.x0, area_.x1, column_.y, theme::kLine);
    column_.y += ui.hairline() + ui.px(3);
  }
  first_ = false;
  return column_;
}

void PanelColumn::draw(const PanelRow& panel) {
  bool& open = c_->view.is_open(panel.key, c_->compact);
  if (panel.is_there != nullptr && !panel.is_there(*c_)) return;
  if (panel.closed == ClosedPanel::left_out && !open) {
    was_open_[panel.key] = false;
    return;
  }
  Column& column = next();
  const float y = column.y;
  Ui& ui = c_->ui;
  const auto [height, first] = heights_.try_emplace(panel.key);
  EasedValue& shown = height->second;
  const bool clips = ui.motion() == Motion::on && !first;
  if (clips) ui.list().PushClipRect({area_.x0, y}, {area_.x1, y + shown.now()}, true);
  panel.draw(*c_, column, open);
  if (clips) ui.list().PopClipRect();
  const bool toggled = watch(panel, open, y - start_);
  const float height_now = column.y - y;
  if (clips && height_now != shown.now()) ui.request_frame();
  if (!clips || (!toggled && !shown.moving())) return shown.jump(height_now);
  column.y = y + std::round(shown.towards(height_now, ui.step_s()));
}

bool PanelColumn::watch(const PanelRow& panel, bool open, float top) {
  constexpr int kSettled = 10;
  const auto [was, first] = was_open_.try_emplace(panel.key, open);
  if (open && !first && !was->second) opened_ = Opened{&panel};
  if (!open && opened_ && opened_->panel == &panel) opened_.reset();
  const bool toggled = std::exchange(was->second, open) != open;
  if (!opened_ || opened_->panel != &panel) return toggled;
  const float bottom = column_.y + c_->ui.px(8) - start_;
  opened_->same = bottom - top == opened_->height ? opened_->same + 1 : 0;
  opened_->height = bottom - top;
  scroll_.show(top, bottom);
  scroll_.show(top, top);
  if (opened_->same >= kSettled) opened_.reset();
  return toggled;
}

void PanelColumn::end() {
  scroll_.end(c_->ui, column_.y + c_->ui.px(8));
  c_->ui.tips_beside({});
}

HistoryAct SideColumns::draw(PanelContext& c, const WindowLayout& l, const EditHistory& history) {
  // A lesson needs the settings of the stream.
  if (std::exchange(lesson_, c.model.lesson.title) != c.model.lesson.title && !c.model.lesson.title.empty())
    c.view.mode = WindowMode::engineer;
  if (!l.left_shown) return HistoryAct::none;
  Ui& ui = c.ui;
  draw_splitter(c, l, PanelSide::left);
  if (l.right_shown) draw_splitter(c, l, PanelSide::right);
  ui.focus().enter(WindowPart::left);
  for (const PanelRow& panel : panels()) {
    if (panel.take_wheel == nullptr) continue;
    panel.take_wheel(c, panel.side == PanelSide::right && l.right_shown ? l.right : l.left);
  }
  left_.begin(c, "left_bar", l.left);
  const bool lesson = !c.model.lesson.title.empty();
  if (lesson && !l.right_shown) lesson_card(c, left_.next());
  const HistoryAct act = draw_panels(c, left_, PanelSide::left, l.left, history);
  if (!l.right_shown) draw_panels(c, left_, PanelSide::right, l.left, history);
  left_.end();
  if (!l.right_shown) return act;
  ui.focus().enter(WindowPart::right);
  right_.begin(c, "right_bar", l.right);
  if (lesson) lesson_card(c, right_.next());
  if (c.view.mode == WindowMode::view && !c.view.try_closed) try_card(c, right_.next());
  draw_panels(c, right_, PanelSide::right, l.right, history);
  right_.end();
  return act;
}

// Opens the measure panel with the first mark; clears its values when it is closed, as they are no longer needed.
void SideColumns::open_measure_panel(PanelContext& c) {
  // A reset or its undo leaves the panel open or folded.
  if (std::exchange(resets_, c.model.reset.count) != c.model.reset.count) measure_shown_ = !c.edits.marks.list.empty();
  bool& open = c.view.is_open("measure", c.compact);
  if (!measure_shown_ && !c.edits.marks.list.empty()) measure_shown_ = open = true;
  if (!open && c.edits.measured.image.number != 0) c.edits.measured = c.edits.measured_a = {};
}

// Draws the panels of one side; a narrow window has one column for all panels. The presets are below the source.
HistoryAct SideColumns::draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                                    const EditHistory& history) {
  constexpr float kWholeStream = 940;  // height of a column with room for every row
  HistoryAct act = HistoryAct::none;
  if (side == PanelSide::right) open_measure_panel(c);
  const bool high = area.height() >= c.ui.px(kWholeStream);
  c.more_stream = high != other_stream_;
  const WindowMode mode = c.view.mode;
  const bool by_organ = std::ranges::any_of(c.model.presets.list, [](const PresetView& p) { return p.organ > 0; });
  for (const PanelRow& panel : panels()) {
    if (panel.side != side || !is_in(panel, mode) || (panel.key == "look_at" && !by_organ)) continue;
    column.draw(panel);
    if (panel.key == "source" && mode == WindowMode::engineer) act = presets_.draw(c, column.next(), history);
  }
  if (mode == WindowMode::view && side == PanelSide::left) engineer_link(c, column.next());
  other_stream_ = high != c.more_stream;
  return act;
}

// Draws the edge between a column and the image, with its grab area on the image's side: scroll bars stay free.
void SideColumns::draw_splitter(PanelContext& c, const WindowLayout& l, PanelSide side) {
  Ui& ui = c.ui;
  const bool left = side == PanelSide::left;
  const Rect& column = left ? l.left : l.right;
  const float edge = left ? l.splitter_left : l.splitter_right, grab = ui.px(6);
  const float scale = ui.scale(), mouse = ImGui::GetIO().MousePos.x;
  const float logical = ImGui::GetIO().DisplaySize.x / scale, other = (left ? l.right : l.left).width() / scale;
  ui.focus().enter(left ? WindowPart::left : WindowPart::right);
  ui.vertical(left ? edge : edge - ui.hairline(), column.y0, column.y1, theme::kEdge);
  const Hit hit = ui.control(left ? "splitter_left" : "splitter_right",
                             {left ? edge : edge - grab, column.y0, left ? edge + grab : edge, column.y1},
                             FocusKind::slider, left ? "Width of the left column" : "Width of the right column");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (hit.pressed) splitter_grip_ = mouse - edge;
  float& width = left ? c.view.widths.left : c.view.widths.right;
  const auto clamped = [&](float wanted) {
    return left ? clamp_left_width(wanted, logical, other) : clamp_right_width(wanted, logical, other);
  };
  const float dragged = (mouse - splitter_grip_) / scale;
  if (hit.held && ImGui::IsMouseDragging(0, 1)) width = clamped(left ? dragged : logical - dragged);
  if (const float by = splitter_by_key(hit); by != 0) width = clamped(column.width() / scale + (left ? by : -by));
  if (splitter_reset(hit)) width = 0;
}

namespace {

constexpr const char* kAboutPanel = "about";
constexpr float kDialogPad = 20, kDialogTitle = 44, kDialogRow = 22, kTextLine = 18,
                kDialogFoot = 56;         // logical pixels
constexpr std::size_t kMostShown = 4000;  // lines
constexpr const char* kWhySandbox =
    "This system offers neither seccomp nor Landlock, which confine the process that reads a recording. A file made "
    "for an attack could act with all rights of this user. Open files of known origin only. The answer applies until "
    "the program ends.";
constexpr const char* kWhyLeave =
    "They are kept until the program ends, and are there again when the file is opened again.";

// Returns a centred rectangle; `height` in pixels.
Rect dialog_box(const Ui& ui, float width, float height) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = std::min(ui.px(width), screen.x - ui.px(16)), h = std::min(height, screen.y - ui.px(16));
  const float x0 = std::round(0.5F * (screen.x - w)), y0 = std::round(0.5F * (screen.y - h));
  return {x0, y0, x0 + w, y0 + h};
}

bool begin_dialog(Ui& ui, const char* id, const Rect& box, std::string_view title) {
  if (!ui.begin_popup(id, box, theme::kPanel)) return false;
  ui.text(Type::strong, box.x0 + ui.px(kDialogPad), box.y0 + ui.px(10), ui.px(24), theme::kText, title);
  return true;
}

// Returns the rectangle of a button at the bottom of a dialog.
Rect foot_button(const Ui& ui, const Rect& box, float x0, float x1) {
  const float row = ui.px(theme::kRow), bottom = box.y1 - ui.px(16) - row;
  return {x0, bottom, x1, bottom + row};
}

// Draws the last button, also pressed by Escape.
bool escape_button(Ui& ui, const char* id, const Rect& box, std::string_view label, Emphasis emphasis) {
  const float right = box.x1 - ui.px(kDialogPad);
  return ui.button(id, foot_button(ui, box, right - ui.px(100), right),
                   {.label = label, .shortcut = "Esc", .emphasis = emphasis}, {});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; lines.size() < kMostShown && std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Draws the panel opened by Ui::open_popup(kAboutPanel).
void draw_about(Ui& ui, const ProgramFacts& facts) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> rows{{
      {"Version", facts.version},
      {"Reader process", facts.sandbox},
      {"Licence", facts.licence},
      {"Library notices", facts.notices.empty() ? std::string_view("in the installed package") : facts.notices},
  }};
  constexpr float kLabel = 130;
  const Rect box =
      dialog_box(ui, 640, ui.px(kDialogTitle + kDialogFoot + kDialogRow * static_cast<float>(rows.size())));
  if (!begin_dialog(ui, kAboutPanel, box, "Echoloop")) return;
  const float left = box.x0 + ui.px(kDialogPad), right = box.x1 - ui.px(kDialogPad);
  float y = box.y0 + ui.px(kDialogTitle);
  for (const auto& [label, value] : rows) {
    ui.text(Type::body, left, y, ui.px(kDialogRow), theme::kText2, label);
    const float x = left + ui.px(kLabel);
    const std::string id = "about/" + std::string(label);
    const Rect r{x, y, right, y + ui.px(kDialogRow)};
    ui.text_fitted(Type::body, x, right, y, ui.px(kDialogRow), theme::kText, value);
    ui.hit(id.c_str(), r, {label, value, {}});
    y += ui.px(kDialogRow);
  }
  if (escape_button(ui, "close_about", box, "Close", Emphasis::plain)) ui.close_popup();
  ui.end_popup();
}

}  // namespace

void ProgramPanels::open_keys(Ui& ui) const { ui.open_popup(kKeysOverlay); }

bool ProgramPanels::keys_open() const { return ImGui::IsPopupOpen(kKeysOverlay); }

std::optional<float> ProgramPanels::draw(Ui& ui, const Model& model, Commands& commands, const Queries& queries,
                                         float wanted_scale, Motion& motion) {
  const ManualButton manual = model.no_effect.files.empty() ? ManualButton::shown : ManualButton::hidden;
  const OverlayRequests asked = draw_keys_overlay(ui, key_help(), wanted_scale, manual, motion);
  if (asked.manual) commands.send(command::OpenManual{});
  if (asked.tour) tour_.begin();
  if (asked.about) {
    if (queries.program_facts) facts_ = queries.program_facts();
    ui.open_popup(kAboutPanel);
  }
  draw_about(ui, facts_);
  scanner_.draw(ui, model, commands);
  const std::optional<std::string>& unsandboxed = model.opening.unsandboxed;
  const Question sandbox{.id = "sandbox",
                         .title = "Open without sandbox?",
                         .subject = unsandboxed.value_or(""),
                         .why = kWhySandbox,
                         .yes = "Open without sandbox"};
  if (const auto yes = sandbox_.draw(ui, sandbox, unsandboxed.has_value()))
    commands.send(command::AnswerSandbox{*yes ? SandboxAnswer::open : SandboxAnswer::cancel});
  const Question leave{.id = "leave",
                       .title = "Leave the description unsaved?",
                       .subject = model.import.file_name + ": answers are not saved.",
                       .why = kWhyLeave,
                       .yes = "Open the other file"};
  if (const auto yes = leave_.draw(ui, leave, !model.import.next.empty()))
    commands.send(command::Import{{.act = *yes ? ImportAct::next : ImportAct::stay}});
  return asked.scale;
}

std::optional<bool> QuestionDialog::draw(Ui& ui, const Question& question, bool stands) {
  if (!stands) {
    open_ = false;
    return std::nullopt;
  }
  const std::string id = question.id, dialog = id + "_dialog", yes = id + "_open", no = id + "_cancel";
  if (!std::exchange(open_, true)) ui.open_popup(dialog.c_str());
  constexpr float kWidth = 560, kGap = 12;
  const float wrap = dialog_box(ui, kWidth, 0).width() - ui.px(2 * kDialogPad), line = ui.px(kDialogRow);
  const float text = ui.paragraph_height(Type::body, wrap, line, question.why);
  const Rect box = dialog_box(ui, kWidth, ui.px(kDialogTitle + kGap + kDialogFoot) + line + text);
  if (!begin_dialog(ui, dialog.c_str(), box, question.title)) return false;
  const float left = box.x0 + ui.px(kDialogPad), right = box.x1 - ui.px(kDialogPad);
  const float y = box.y0 + ui.px(kDialogTitle);
  ui.text_fitted(Type::body, left, right, y, line, theme::kText, question.subject);
  ui.paragraph(Type::body, left, y + line + ui.px(kGap) * 0.5F, wrap, line, theme::kText2, question.why);
  const float cancel = ui.px(100), open = ui.px(190), between = ui.px(8);
  std::optional<bool> answer;
  if (ui.button(yes.c_str(), foot_button(ui, box, right - cancel - between - open, right - cancel - between),
                {.label = question.yes}, {}))
    answer = true;
  if (escape_button(ui, no.c_str(), box, "Cancel", Emphasis::primary)) answer = false;
  ui.focus().begin_at(no);
  if (answer) ui.close_popup();
  ui.end_popup();
  return answer;
}

void ScannerDialogs::draw(Ui& ui, const Model& model, Commands& commands) {
  draw_description(ui, model, commands);
  draw_network(ui, model, commands);
}

void ScannerDialogs::draw_description(Ui& ui, const Model& model, Commands& commands) {
  const auto now = model.scanner.has_value() ? model.scanner->description : nullptr;
  const Rect box = dialog_box(ui, 720, ui.px(560));
  if (!begin_dialog(ui, kDescriptionPanel, box, "Description of the scanner")) return;
  if (now != shown_) {
    shown_ = now;
    lines_ = now == nullptr ? std::vector<std::string>() : lines_of(*now);
    scroll_.reset();
  }
  const float left = box.x0 + ui.px(kDialogPad), right = box.x1 - ui.px(kDialogPad);
  const Rect area{left, box.y0 + ui.px(kDialogTitle), right, box.y1 - ui.px(kDialogFoot)};
  ui.fill(area, theme::kField);
  const Rect inside{area.x0 + ui.px(8), area.y0 + ui.px(6), area.x1 - ui.px(8), area.y1 - ui.px(6)};
  float y = scroll_.begin(ui, "description_bar", inside);
  for (const std::string& line : lines_) {
    if (y + ui.px(kTextLine) > inside.y0 && y < inside.y1) {
      ui.text_fitted(Type::small, inside.x0, inside.x1, y, ui.px(kTextLine), theme::kText, line);
    }
    y += ui.px(kTextLine);
  }
  scroll_.end(ui, y);
  const float wide = ui.px(130), between = ui.px(8);
  const Tip saves{"Save as JSON", "Writes the description as a JSON file, as it lies beside a recording.",
                  why_no_files(model)};
  if (ui.button("description_copy", foot_button(ui, box, left, left + ui.px(84)), {.label = "Copy"},
                {"Copy", "Copies the description to the clipboard.", {}}) &&
      now != nullptr) {
    ImGui::SetClipboardText(now->c_str());
  }
  const float save = left + ui.px(84) + between;
  if (ui.button("description_save", foot_button(ui, box, save, save + wide), {.label = "Save as JSON"}, saves)) {
    commands.send(command::Save{SaveWhat::description});
  }
  if (escape_button(ui, "description_close", box, "Close", Emphasis::plain)) ui.close_popup();
  ui.end_popup();
}

void ScannerDialogs::draw_network(Ui& ui, const Model& model, Commands& commands) {
  constexpr std::string_view kWhat =
      "Programs on other machines of this network can then connect, if they send the word in the token file. Samples "
      "are not encrypted. The file is created if it does not exist; copy it to the machine of the sender.";
  constexpr float kWidth = 560, kLabel = 110;
  const float wrap = dialog_box(ui, kWidth, 0).width() - ui.px(2 * kDialogPad), line = ui.px(kDialogRow);
  const float text = ui.paragraph_height(Type::body, wrap, line, kWhat);
  const Rect box = dialog_box(ui, kWidth, ui.px(kDialogTitle + 3 * kDialogRow + kDialogFoot + 16 + text / ui.px(1)));
  if (!begin_dialog(ui, kNetworkPanel, box, "Open a port on the network?")) {
    port_ = {};
    return;
  }
  if (port_.front() == '\0') fmt::format_to_n(port_.data(), port_.size() - 1, "{}", kLivePort);
  const float left = box.x0 + ui.px(kDialogPad), right = box.x1 - ui.px(kDialogPad);
  float y = box.y0 + ui.px(kDialogTitle);
  ui.text(Type::body, left, y, line, theme::kText2, "Port");
  const bool entered =
      ui.text_line("##network_port", {left + ui.px(kLabel), y, left + ui.px(kLabel + 90), y + line}, port_, false);
  y += ui.px(kDialogRow + 6);
  ui.text(Type::body, left, y, line, theme::kText2, "Token file");
  ui.text_fitted(Type::body, left + ui.px(kLabel), right, y, line, theme::kText, model.opening.scanner_token);
  y += ui.px(kDialogRow + 6);
  ui.paragraph(Type::body, left, y, wrap, line, theme::kText2, kWhat);
  std::uint16_t port = 0;
  const std::string_view typed(port_.data());
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), port);
  const std::string_view why = error == std::errc() && end == typed.data() + typed.size() && port > 0
                                   ? std::string_view()
                                   : std::string_view("Port: a number from 1 to 65535.");
  const float button = ui.px(100), between = ui.px(8);
  const bool listens =
      ui.button("network_listen", foot_button(ui, box, right - 2 * button - between, right - button - between),
                {.label = "Open port"}, {"Open port", "Waits for a sender at this port.", why});
  if ((listens || entered) && why.empty()) {
    commands.send(command::OpenNetworkScanner{port});
    ui.close_popup();
  }
  if (escape_button(ui, "network_cancel", box, "Cancel", Emphasis::primary)) ui.close_popup();
  ui.end_popup();
}

}  // namespace echoloop
