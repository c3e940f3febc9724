// Area above the image: fault banner and progress strip; and the page shown before any image.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gui/bars.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"

namespace echoloop {
namespace {

// Page in place of the image while a scanner is awaited: address for senders, the lines that a sender needs, each with
// a copy button, and a phantom sent by the program itself. UI thread only.

constexpr std::size_t kSnippetLines = 3;  // lines of each snippet
constexpr std::string_view kSnippetIndent = "    ";

struct Snippet {
  const char* id;
  std::string_view name, note;
  std::array<std::string, kSnippetLines> lines;

  [[nodiscard]] std::string text() const { return fmt::format("{}\n{}\n{}\n", lines[0], lines[1], lines[2]); }
};

// Returns the snippets; on the network without a file name, as other machines lack the viewer's files.
std::array<Snippet, 3> snippets(const std::string& address) {
  const char* const scan = address.ends_with(",token=FILE") ? "description" : R"({"like": "setup.mat"})";
  return {{{"copy_python",
            "Python",
            "one file, no packages",
            {"from echoloop import Sender", fmt::format(R"(with Sender({}, "{}") as s:)", scan, address),
             "    while True: s.send(scanner.read())"}},
           {"copy_c",
            "C, C++",
            "one header",
            {fmt::format(R"(echoloop_sender* s = echoloop_open("{}", "my scanner");)", address),
             "echoloop_describe(s, json, 1000);", "echoloop_send(s, samples, bytes, NULL, 100);  /* every frame */"}},
           {"copy_matlab",
            "MATLAB, Octave",
            "one MEX file",
            {"json = fileread('setup.json');", fmt::format("echoloop('describe', json, '{}');", address),
             "echoloop('send', RcvData{1}, rows);  % every frame"}}}};
}

// Lengths at scale 1: wide if the area is high enough for everything.
struct PageSpacing {
  float gap, pad, line, address;
  bool diagram;
};

PageSpacing spacing_for(float height) {
  if (height >= 690) return {.gap = 16, .pad = 12, .line = 21, .address = 48, .diagram = true};
  if (height >= 560) return {.gap = 12, .pad = 10, .line = 20, .address = 44, .diagram = false};
  return {.gap = 6, .pad = 3, .line = 17, .address = 36, .diagram = false};
}

class Page {
 public:
  Page(PanelContext& c, const Rect& area)
      : c_(c),
        ui_(c.ui),
        area_(area),
        status_(*c.model.scanner),
        address_(sender_address(status_.address, c.model.opening.host)),
        spacing_(spacing_for(area.height() / c.ui.scale())) {
    const float width = std::min(area.width() - ui_.px(32), ui_.px(744));
    x0_ = std::round(area.cx() - 0.5F * width);
    x1_ = x0_ + width;
    const bool narrow = width < ui_.px(kBeside), high = area.height() >= ui_.px(kLeastStacked);
    name_lines_ = narrow && high ? 1 : 0;
  }

  void draw() {
    y_ = std::round(area_.y0 + std::max(ui_.px(8), 0.5F * (area_.height() - height())));
    if (spacing_.diagram) diagram();
    line(Type::large, 28, theme::kText, "Waiting for a scanner");
    subtitle();
    y_ += ui_.px(spacing_.gap);
    address();
    for (const Snippet& snippet : snippets(address_)) card(snippet);
    phantom();
    line(Type::small, 18, theme::kMuted, status_.reach);
    line(Type::small, 18, theme::kMuted,
         "Python, C, MATLAB, Octave and arrus step by step: README, section Connect a scanner");
  }

 private:
  // Width of a card with the name next to its lines, which need 440; height of an area with room for names above.
  static constexpr float kBeside = 660, kLeastStacked = 420;
  static constexpr float kDiagram = 64, kBelowDiagram = 44, kTitle = 28, kSubtitle = 22, kSmall = 18;

  [[nodiscard]] float card_height() const {
    return ui_.px(2 * spacing_.pad + static_cast<float>(name_lines_ + kSnippetLines) * spacing_.line);
  }
  [[nodiscard]] float height() const {
    const float gap = ui_.px(spacing_.gap);
    const float top = spacing_.diagram ? ui_.px(kDiagram + kBelowDiagram) : 0.0F;
    return top + ui_.px(kTitle) + subtitle_height() + gap + ui_.px(spacing_.address) +
           3 * (0.5F * gap + card_height()) + gap + ui_.px(theme::kRow) + 0.5F * gap + 2 * ui_.px(kSmall);
  }
  void line(Type type, float height, ImU32 ink, std::string_view text) {
    ui_.text_centred(type, {area_.x0, y_, area_.x1, y_ + ui_.px(height)}, ink,
                     ui_.fitted(type, area_.width() - ui_.px(16), text));
    y_ += ui_.px(height);
  }
  [[nodiscard]] std::string refusal() const { return "Refused: " + status_.last_refusal; }
  [[nodiscard]] float subtitle_height() const {
    if (status_.last_refusal.empty()) return ui_.px(kSubtitle);
    return ui_.paragraph_height(Type::body, x1_ - x0_, ui_.px(20), refusal()) + ui_.px(2);
  }
  void subtitle() {
    if (status_.last_refusal.empty()) {
      return line(Type::body, kSubtitle, theme::kMuted,
                  "Start a sender. The first image appears with the first frame.");
    }
    if (ui_.width(Type::body, refusal()) <= x1_ - x0_) return line(Type::body, kSubtitle, theme::kRed, refusal());
    ui_.paragraph(Type::body, x0_, y_, x1_ - x0_, ui_.px(20), theme::kRed, refusal());
    y_ += subtitle_height();
  }

  // Draws sender and viewer, without a connection between them.
  void diagram() {
    const float wide = ui_.px(200), high = ui_.px(kDiagram), between = std::min(ui_.px(224), x1_ - x0_ - 2 * wide);
    const float left = std::round(area_.cx() - 0.5F * between);
    const Rect sender{left - wide, y_, left, y_ + high};
    const Rect viewer{left + between, y_, left + between + wide, y_ + high};
    const auto box = [&](const Rect& r, ImU32 ink, std::string_view name, std::string_view place) {
      ui_.outline(r, theme::kLine, 4);
      ui_.text_centred(Type::medium, {r.x0, r.y0 + ui_.px(10), r.x1, r.y0 + ui_.px(34)}, ink, name);
      ui_.text_centred(Type::small, {r.x0, r.y0 + ui_.px(34), r.x1, r.y0 + ui_.px(54)}, theme::kMuted, place);
    };
    box(sender, theme::kText2, "Sender", "beside the scanner");
    box(viewer, theme::kText, "Echoloop", "this window");
    const float y = sender.cy();
    for (float x = sender.x1 + ui_.px(8); x < viewer.x0 - ui_.px(8); x += ui_.px(7)) {
      ui_.stroke({x, y}, {x + ui_.px(3), y}, theme::kLine, ui_.hairline());
    }
    ui_.ring(sender.x1, y, 4, theme::kMuted, 1.5F);
    ui_.ring(viewer.x0, y, 4, theme::kAccent, 1.5F);
    const Rect above{sender.x1, y - ui_.px(22), viewer.x0, y - ui_.px(4)},
        below{sender.x1, y + ui_.px(4), viewer.x0, y + ui_.px(22)};
    ui_.text_centred(Type::small, above, theme::kMuted, "not connected");
    ui_.text_centred(Type::small, below, theme::kMuted, "shared memory or TCP");
    y_ += high + ui_.px(kBelowDiagram);
  }

  void copy(const std::string& text) {
    ImGui::SetClipboardText(text.c_str());
    c_.commands.send(command::Hint{std::string("Copied to the clipboard")});
  }
  static std::string copy_tip(const std::string& what) { return "Copies to the clipboard: " + what; }
  // Draws a button with two sheets.
  void copy_button(const char* id, const Rect& r, const std::string& text, const std::string& what) {
    if (ui_.icon_button(id, r, {"Copy", copy_tip(what), {}})) copy(text);
    const float size = ui_.px(8), x = std::round(r.cx() - 0.5F * size), y = std::round(r.cy() - 0.5F * size),
                off = ui_.px(3);
    ui_.outline({x + off - ui_.px(1), y + off - ui_.px(1), x + size + off - ui_.px(1), y + size + off - ui_.px(1)},
                theme::kText2, 1);
    const float back_x = x - ui_.px(2), back_y = y - ui_.px(2);
    ui_.horizontal(back_x, back_x + size, back_y, theme::kText2);
    ui_.vertical(back_x, back_y, back_y + size, theme::kText2);
  }

  void address() {
    const Rect box{x0_, y_, x1_, y_ + ui_.px(spacing_.address)};
    ui_.outline(box, theme::kLine, 4);
    ui_.text(Type::body, box.x0 + ui_.px(16), box.y0, box.height(), theme::kMuted, "Address");
    const float half = ui_.px(0.5F * (spacing_.address - theme::kRow));
    const Rect button{box.x1 - ui_.px(96), box.y0 + half, box.x1 - ui_.px(10), box.y1 - half};
    const float end = ui_.text_fitted(Type::large, box.x0 + ui_.px(96), button.x0 - ui_.px(12), box.y0, box.height(),
                                      theme::kText, address_);
    constexpr std::string_view kNetwork = "for another machine: choose Network";
    const float wide = ui_.width(Type::small, kNetwork);
    if (!status_.address.starts_with("live:tcp:") && button.x0 - ui_.px(12) - wide > end + ui_.px(12)) {
      ui_.text_right(Type::small, button.x0 - ui_.px(12), box.y0, box.height(), theme::kMuted, kNetwork);
    }
    if (ui_.button("waiting_copy", button, {.label = "Copy", .emphasis = Emphasis::primary},
                   {"Copy", copy_tip(address_), {}})) {
      copy(address_);
    }
    y_ = box.y1;
  }

  void card(const Snippet& snippet) {
    y_ += ui_.px(0.5F * spacing_.gap);
    const Rect box{x0_, y_, x1_, y_ + card_height()};
    ui_.outline(box, theme::kLine, 4);
    const float side = ui_.px(28), inset = ui_.px(8), row = ui_.px(spacing_.line), top = box.y0 + ui_.px(spacing_.pad);
    const float left = box.x0 + ui_.px(16), beside = box.x0 + std::min(ui_.px(176), std::round(0.32F * box.width()));
    const Rect button{box.x1 - inset - side, box.y0 + inset, box.x1 - inset, box.y0 + inset + side};
    const bool above = name_lines_ > 0;
    const float code = above ? left : beside, end = (above ? button.x0 : beside) - inset;
    const float named = ui_.text_fitted(Type::strong, left, end, top, row, theme::kText, snippet.name);
    ui_.text_fitted(Type::small, above ? named + ui_.px(12) : left, end, above ? top : top + row, row, theme::kMuted,
                    snippet.note);
    float y = top + static_cast<float>(name_lines_) * row;
    for (const std::string& text : snippet.lines) {
      const bool indented = text.starts_with(kSnippetIndent);
      ui_.text_fitted(Type::body, code + (indented ? ui_.px(24) : 0.0F), button.x0 - inset, y, row, theme::kText2,
                      std::string_view(text).substr(indented ? kSnippetIndent.size() : 0));
      y += row;
    }
    copy_button(snippet.id, button, snippet.text(), fmt::format("the lines for {}.", snippet.name));
    y_ = box.y1;
  }

  void phantom() {
    y_ += ui_.px(spacing_.gap);
    const Rect row{x0_, y_, x1_, y_ + ui_.px(theme::kRow)};
    constexpr std::string_view kWithout = "Without a scanner:";
    float x = row.x0;
    if (row.width() > ui_.px(520))
      x = ui_.text(Type::body, x, row.y0, row.height(), theme::kText2, kWithout) + ui_.px(16);
    const Rect button{x, row.y0, x + ui_.px(184), row.y1};
    phantom_button(c_, "send_phantom", button);
    const std::string command = phantom_command(c_.model);
    const Rect copying{row.x1 - ui_.px(36), row.y0, row.x1 - ui_.px(8), row.y1};
    ui_.text_fitted(Type::small, button.x1 + ui_.px(16), copying.x0 - ui_.px(8), row.y0, row.height(), theme::kMuted,
                    command);
    copy_button("copy_command", copying, command, command);
    y_ = row.y1 + ui_.px(0.5F * spacing_.gap);
  }

  PanelContext& c_;
  Ui& ui_;
  const Rect& area_;
  const LiveStatus& status_;
  const std::string address_;
  const PageSpacing spacing_;
  float x0_ = 0, x1_ = 0, y_ = 0;
  std::size_t name_lines_ = 0;  // lines of a name above those of a card
};

void draw_waiting_for_scanner(PanelContext& c, const Rect& area) { Page(c, area).draw(); }

constexpr float kProgress = 48;  // height of the progress strip

bool refused(const Model& model, const Edits& edits) {
  return model.notices.fault->refusal.has_value() ||
         (edits.stream.policy == RingPolicy::error && model.numbers.counts.refused > 0);
}

std::string advice_for(const Model& model, const Edits& edits) {
  if (!model.notices.fault->advice.empty()) return model.notices.fault->advice;
  if (refused(model, edits)) {
    return "restart. To prevent this: choose drop-oldest, add slots or lower the rate.";
  }
  if (model.notices.fault->can_use_cpu && model.notices.fault->can_restart)
    return "restart the stream, or continue on the CPU.";
  if (model.notices.fault->can_use_cpu)
    return "continue on the CPU; the GPU is available again after a restart of the program.";
  return {};
}

// Returns the frame, the slot, its contents, and that the image is intact.
std::string refusal_text(const RingRefusal& r, const Image& shown, const FrameNumbers& numbers) {
  std::string text = fmt::format(
      "Frame {} arrived while slot {} of {} {}; frame {} in this slot was {} ms old. Nothing was overwritten",
      grouped(numbers.in_stream(r.sequence)), r.slot + 1, r.counts.slots,
      r.copying ? "was still being copied" : "was still waiting to be copied", grouped(numbers.in_stream(r.holds)),
      fixed(static_cast<double>(r.age_ns) * 1e-6, 1));
  if (shown.number != 0) text += "; the image shows the last valid frame, " + grouped(numbers.of(shown.stamp));
  return text + ".";
}

std::string title_of(const FaultNotice& fault) {
  return fault.title.empty() && fault.refusal ? "Stream stopped on overrun" : fault.title;
}

// Returns the label: a scanner resumes at its current frame; other sources restart.
std::string_view resume_word(const Model& model, const Edits& edits) {
  return model.source.live && refused(model, edits) ? "Resume" : "Restart";
}

struct RecoveryAction {
  std::string label;
  std::string help;
  std::function<void()> act;
};

// Returns the actions, most likely first.
std::vector<RecoveryAction> recovery_actions(PanelContext& c) {
  std::vector<RecoveryAction> list;
  const auto restart = [&c] { c.commands.send(command::Restart{}); };
  if (c.model.notices.fault->can_restart && refused(c.model, c.edits)) {
    list.push_back({fmt::format("{} with Drop oldest", resume_word(c.model, c.edits)),
                    "When the buffer is full, the oldest queued frame is dropped.", [&c, restart] {
                      c.edits.stream.policy = RingPolicy::drop_oldest;
                      restart();
                    }});
    const int more = std::min(2 * c.edits.stream.slots, kMaxSlots);
    if (more > c.edits.stream.slots) {
      list.push_back({fmt::format("{} with {} slots", resume_word(c.model, c.edits), more),
                      "Queues more frames; each slot uses the memory of one frame.", [&c, restart, more] {
                        c.edits.stream.slots = more;
                        restart();
                      }});
    }
  }
  if (c.model.notices.fault->can_restart) {
    const std::string_view help = c.model.source.live && refused(c.model, c.edits)
                                      ? "Takes frames again with the same settings; the sender stays connected."
                                      : "Restarts the source with the same settings.";
    list.push_back({std::string(resume_word(c.model, c.edits)), std::string(help), restart});
  }
  if (c.model.notices.fault->can_use_cpu) {
    list.push_back(
        {"Continue on the CPU", "Slower, but independent of the GPU.", [&c] { c.commands.send(command::UseCpu{}); }});
  }
  return list;
}

float action_width(const Ui& ui, const std::vector<RecoveryAction>& list, std::size_t i) {
  return ui.width(i == 0 ? Type::strong : Type::body, list[i].label) + ui.px(i == 0 ? 44 : 36);
}

// Draws buttons in as many rows as needed; returns the height used. Pass::measure draws nothing.
enum class Pass { measure, draw };
float action_buttons(PanelContext& c, const std::vector<RecoveryAction>& list, float x0, float x1, float y, Pass pass) {
  Ui& ui = c.ui;
  float x = x0;
  float top = y + ui.px(10);
  std::function<void()> chosen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float w = action_width(ui, list, i);
    if (x > x0 && x + w > x1) {
      x = x0;
      top += ui.px(theme::kRow + theme::kRowGap);
    }
    const std::string id = "cure/" + list[i].label;
    if (pass == Pass::draw &&
        ui.button(id.c_str(), {x, top, x + w, top + ui.px(theme::kRow)},
                  {.label = list[i].label, .emphasis = i == 0 ? Emphasis::primary : Emphasis::plain},
                  {list[i].label, list[i].help, {}})) {
      chosen = list[i].act;
    }
    x += w + ui.px(8);
  }
  if (chosen) chosen();
  return list.empty() ? 0 : top + ui.px(theme::kRow) - y;
}

float fault_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed) {
  Ui& ui = c.ui;
  const FaultNotice& fault = *c.model.notices.fault;
  const float pad = ui.px(20);
  const float line = ui.px(20);
  const float wrap = area.width() - 2 * pad - ui.px(28);
  const std::string facts =
      fault.refusal ? refusal_text(*fault.refusal, shown, numbers_of(c.model.source)) : fault.detail;
  const std::string advice = advice_for(c.model, c.edits);
  const std::string what_to_do = advice.empty() ? "" : "To continue: " + advice;
  float detail = facts.empty() ? 0 : ui.paragraph_height(Type::body, wrap, line, facts);
  float help = what_to_do.empty() ? 0 : ui.paragraph_height(Type::body, wrap, line, what_to_do);
  const std::vector<RecoveryAction> list = recovery_actions(c);
  const float left = area.x0 + pad;
  const float right = area.x1 - pad;
  const float buttons = action_buttons(c, list, left, right, 0, Pass::measure);
  // Buttons have priority over texts in a low window.
  const float spare = area.height() - ui.px(c.model.opening.progress ? kProgress : 0) - ui.px(26) - line - buttons;
  if (detail + help > spare) help = 0;
  if (detail > spare) detail = 0;
  const float height = ui.px(12) + line + detail + help + buttons + ui.px(14);
  const Rect box{area.x0, area.y0, area.x1, area.y0 + height};
  ui.fill(box, theme::kRedGround);
  ui.fill({box.x0, box.y0, box.x0 + ui.px(3), box.y1}, theme::kRed);
  float y = box.y0 + ui.px(11);
  ui.text_fitted(Type::strong, box.x0 + pad, box.x0 + pad + wrap, y, line, theme::kText, title_of(fault));
  y += line;
  if (detail > 0) y += ui.paragraph(Type::body, box.x0 + pad, y, wrap, line, theme::kText2, facts);
  if (help > 0) y += ui.paragraph(Type::body, box.x0 + pad, y, wrap, line, theme::kText2, what_to_do);
  const Rect close{box.x1 - ui.px(36), box.y0 + ui.px(8), box.x1 - ui.px(12), box.y0 + ui.px(32)};
  if (ui.icon_button("close_banner", close, {"Close", "Hides this banner; the stream remains stopped.", {}}))
    closed = fault.title + fault.detail;
  ui.cross(close.cx(), close.cy(), theme::kText2);
  action_buttons(c, list, left, right, y, Pass::draw);
  return height;
}

float progress_strip(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  const Progress& progress = *c.model.opening.progress;
  const float height = ui.px(kProgress);
  const Rect box{area.x0, area.y0, area.x1, area.y0 + height};
  ui.fill(box, theme::kPanel);
  ui.horizontal(box.x0, box.x1, box.y1 - ui.hairline(), theme::kLine);
  const float x0 = box.x0 + ui.px(20);
  const float cancel = ui.px(72);
  const float right = box.x1 - ui.px(20) - cancel - ui.px(16);
  const std::string percent = fmt::format("{:.0f} %", 100.0 * std::clamp(progress.fraction, 0.0, 1.0));
  ui.text_fitted(Type::body, x0, right - ui.px(60), box.y0 + ui.px(8), ui.px(20), theme::kText, progress.text);
  ui.text_right(Type::body, right, box.y0 + ui.px(8), ui.px(20), theme::kText2, percent);
  const Rect track{x0, box.y1 - ui.px(14), right, box.y1 - ui.px(10)};
  ui.fill(track, theme::kLine, 2);
  const float end = x0 + track.width() * static_cast<float>(std::clamp(progress.fraction, 0.0, 1.0));
  ui.fill({x0, track.y0, end, track.y1}, theme::kAccent, 2);
  if (ui.button("cancel", {box.x1 - ui.px(20) - cancel, box.y0 + ui.px(10), box.x1 - ui.px(20), box.y0 + ui.px(38)},
                {.label = "Cancel"}, {"Cancel", "Cancels; the current source is unchanged.", {}})) {
    c.commands.send(command::Cancel{});
  }
  return height;
}

}  // namespace

float draw_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed) {
  float height = 0;
  if (!c.model.notices.fault) closed.clear();
  if (c.model.notices.fault && closed != c.model.notices.fault->title + c.model.notices.fault->detail) {
    height += fault_banner(c, area, shown, closed);
  }
  if (c.model.opening.progress) height += progress_strip(c, {area.x0, area.y0 + height, area.x1, area.y1});
  return height;
}

void draw_empty(PanelContext& c, const Rect& area) {
  if (c.model.scanner.has_value() && c.model.scanner->link != LiveLink::connected) {
    return draw_waiting_for_scanner(c, area);
  }
  Ui& ui = c.ui;
  const bool waiting = c.model.run == RunState::opening || c.model.run == RunState::live ||
                       c.model.run == RunState::replay || c.model.opening.progress.has_value();
  const float y = std::round(area.cy() - ui.px(48));
  const Rect title{area.x0, y, area.x1, y + ui.px(28)};
  ui.text_centred(Type::large, title, theme::kText2, waiting ? "Waiting for the first image" : "No image yet");
  const Rect line{area.x0, y + ui.px(32), area.x1, y + ui.px(52)};
  ui.text_centred(Type::body, line, theme::kMuted,
                  waiting ? "The first processed frame appears here."
                          : "Choose a phantom on the left, open a recording, or drop a file here.");
  if (waiting) return;
  const float w = ui.px(140);
  const Rect button{std::round(area.cx() - 0.5F * w), y + ui.px(68), std::round(area.cx() + 0.5F * w),
                    y + ui.px(68 + theme::kRow)};
  if (ui.button("open_empty", button, {.label = "Open…", .shortcut = "Ctrl+O", .emphasis = Emphasis::primary},
                {"Open", {}, why_no_files(c.model)}))
    c.open_dialog = true;
}

}  // namespace echoloop
