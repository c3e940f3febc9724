// Above the picture: fault banner and progress strip; and what is there before any picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/bars.h"
#include "gui/state/number_text.h"
#include "gui/workspace/scanner_page.h"

namespace echoloop {
namespace {

constexpr float kProgress = 48;  // height of the progress strip

bool refused(const UiState& s) {
  return s.notices.fault->refusal.has_value() || (s.stream.policy == RingPolicy::error && s.numbers.counts.refused > 0);
}

std::string advice_for(const UiState& s) {
  if (!s.notices.fault->advice.empty()) return s.notices.fault->advice;
  if (refused(s)) {
    return "restart. To prevent this: choose drop-oldest, add slots or lower the rate.";
  }
  if (s.notices.fault->can_use_cpu && s.notices.fault->can_restart)
    return "restart the stream, or continue on the CPU.";
  if (s.notices.fault->can_use_cpu)
    return "continue on the CPU; the GPU is available again after a restart of the program.";
  return {};
}

// Which frame, which slot, what was in it, and that the picture is sound.
std::string refusal_text(const RingRefusal& r, const Image& shown) {
  std::string text = fmt::format(
      "Frame {} arrived while slot {} of {} {}; frame {} in this slot was {} ms old. Nothing was overwritten",
      grouped(r.sequence), r.slot + 1, r.counts.slots,
      r.copying ? "was still being copied" : "was still waiting to be copied", grouped(r.holds),
      fixed(static_cast<double>(r.age_ns) * 1e-6, 1));
  if (shown.number != 0) text += "; the image shows the last valid frame, " + grouped(shown.stamp.sequence);
  return text + ".";
}

std::string title_of(const Fault& fault) {
  return fault.title.empty() && fault.refusal ? "Stream stopped on overrun" : fault.title;
}

// A scanner goes on from where it is; other sources begin again.
std::string_view resume_word(const UiState& s) { return s.source.live && refused(s) ? "Resume" : "Restart"; }

struct RecoveryAction {
  std::string label;
  std::string help;
  std::function<void()> act;
};

// The likeliest first.
std::vector<RecoveryAction> recovery_actions(PanelContext& c) {
  std::vector<RecoveryAction> list;
  UiState& s = c.state;
  const auto restart = [&c] { call(c.commands.restart); };
  if (s.notices.fault->can_restart && refused(s)) {
    list.push_back({fmt::format("{} with Drop oldest", resume_word(s)),
                    "When the buffer is full, the oldest queued frame is dropped.", [&s, restart] {
                      s.stream.policy = RingPolicy::drop_oldest;
                      restart();
                    }});
    const int more = std::min(2 * s.stream.slots, kMaxSlots);
    if (more > s.stream.slots) {
      list.push_back({fmt::format("{} with {} slots", resume_word(s), more),
                      "Queues more frames; each slot uses the memory of one frame.", [&s, restart, more] {
                        s.stream.slots = more;
                        restart();
                      }});
    }
  }
  if (s.notices.fault->can_restart) {
    const std::string_view help = s.source.live && refused(s)
                                      ? "Takes frames again with the same settings; the sender stays connected."
                                      : "Restarts the source with the same settings.";
    list.push_back({std::string(resume_word(s)), std::string(help), restart});
  }
  if (s.notices.fault->can_use_cpu) {
    list.push_back({"Continue on the CPU", "Slower, but independent of the GPU.", [&c] { call(c.commands.use_cpu); }});
  }
  return list;
}

float action_width(const Ui& ui, const std::vector<RecoveryAction>& list, std::size_t i) {
  return ui.width(i == 0 ? Type::strong : Type::body, list[i].label) + ui.px(i == 0 ? 44 : 36);
}

// Buttons in as many rows as they need; returns the height used. With Pass::measure nothing is drawn.
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
  const Fault& fault = *c.state.notices.fault;
  const float pad = ui.px(20);
  const float line = ui.px(20);
  const float wrap = area.width() - 2 * pad - ui.px(28);
  const std::string facts = fault.refusal ? refusal_text(*fault.refusal, shown) : fault.detail;
  const std::string advice = advice_for(c.state);
  const std::string what_to_do = advice.empty() ? "" : "To continue: " + advice;
  float detail = facts.empty() ? 0 : ui.paragraph_height(Type::body, wrap, line, facts);
  float help = what_to_do.empty() ? 0 : ui.paragraph_height(Type::body, wrap, line, what_to_do);
  const std::vector<RecoveryAction> list = recovery_actions(c);
  const float left = area.x0 + pad;
  const float right = area.x1 - pad;
  const float buttons = action_buttons(c, list, left, right, 0, Pass::measure);
  // In a low window the buttons come before the words.
  const float spare = area.height() - ui.px(c.state.opening.progress ? kProgress : 0) - ui.px(26) - line - buttons;
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
  const Progress& progress = *c.state.opening.progress;
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
    call(c.commands.cancel);
  }
  return height;
}

}  // namespace

float draw_banner(PanelContext& c, const Rect& area, const Image& shown, std::string& closed) {
  float height = 0;
  if (!c.state.notices.fault) closed.clear();
  if (c.state.notices.fault && closed != c.state.notices.fault->title + c.state.notices.fault->detail) {
    height += fault_banner(c, area, shown, closed);
  }
  if (c.state.opening.progress) height += progress_strip(c, {area.x0, area.y0 + height, area.x1, area.y1});
  return height;
}

void draw_empty(PanelContext& c, const Rect& area) {
  if (c.state.scanner.has_value() && c.state.scanner->link != LiveLink::connected) {
    return draw_waiting_for_scanner(c, area);
  }
  Ui& ui = c.ui;
  const bool waiting =
      c.state.run == RunState::live || c.state.run == RunState::replay || c.state.opening.progress.has_value();
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
                {"Open", {}, why_no_files(c.state)}))
    c.open_dialog = true;
}

}  // namespace echoloop
