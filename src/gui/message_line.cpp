#include <fmt/format.h>

#include <algorithm>

#include "core/number.h"
#include "gui/bars.h"
#include "gui/toolkit/severity_color.h"

namespace echoloop {
namespace {

void message_list(PanelContext& c, const Rect& line) {
  Ui& ui = c.ui;
  const auto& messages = c.state.notices.messages.list();
  const float row = ui.px(26);
  const auto room = static_cast<std::size_t>(std::max(1.0F, (line.y0 - ui.px(60)) / row - 1));
  const std::size_t count = std::min(messages.size(), room);
  const float tall = row * static_cast<float>(count + 1) + ui.px(8);
  const Rect box{line.x0 + ui.px(8), line.y0 - tall - ui.px(4), line.x1 - ui.px(8), line.y0 - ui.px(4)};
  if (!ui.begin_popup("message_list", box)) return;
  std::size_t dismissed = messages.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Message& m = messages[i];
    const float y = box.y0 + ui.px(4) + row * static_cast<float>(i);
    const std::string row_id = fmt::format("message/{}", i);
    const bool resolved = m.stay == Stay::resolved;
    const bool error = m.severity == Severity::error && !resolved;
    const Rect words{box.x0, y, box.x1 - ui.px(error ? 90 : 0), y + row};
    const Hit h = ui.control(row_id.c_str(), words, FocusKind::line, m.text);
    if (h.hovered) ui.fill(words.inset(ui.px(1)), theme::kHover, 4);
    if (h.clicked) ImGui::SetClipboardText(m.text.c_str());
    ui.tip(row_id.c_str(), h, words, {"Click to copy", m.text, {}});
    const Severity looks = resolved ? Severity::info : m.severity;
    ui.disc(box.x0 + ui.px(14), y + 0.5F * row, 4, severity_dot(looks));
    const float x = ui.text(Type::small, box.x0 + ui.px(28), y, row, theme::kMuted, m.clock) + ui.px(12);
    ui.text_fitted(Type::body, x, box.x1 - ui.px(error ? 90 : 12), y, row, severity_ink(looks),
                   resolved ? m.text + " (resolved)" : m.text);
    const float w = ui.width(Type::body, "Dismiss");
    const std::string id = fmt::format("dismiss/{}", i);
    if (error && ui.link(id.c_str(), {box.x1 - ui.px(12) - w, y, box.x1 - ui.px(12), y + row}, "Dismiss", {}, {}))
      dismissed = i;
  }
  const float foot = box.y1 - ui.px(4) - row;
  if (ui.link("copy_messages", {box.x0 + ui.px(28), foot, box.x0 + ui.px(160), foot + row}, "Copy all", {},
              {"Copy all", "Copies all listed messages with time and severity.", {}})) {
    ImGui::SetClipboardText(c.state.notices.messages.text().c_str());
  }
  ui.end_popup();
  if (dismissed < messages.size()) call(c.commands.dismiss_message, dismissed);
}

}  // namespace

std::optional<std::size_t> MessageLine::front(const std::vector<Message>& messages) {
  constexpr double kNews_s = 4.0;
  const std::string newest = messages.front().clock + messages.front().text;
  const bool came = count_ > 0 && messages.size() >= count_ && (messages.size() > count_ || newest != newest_);
  count_ = messages.size();
  newest_ = newest;
  const std::optional<std::size_t> stands = standing(messages);
  const bool passes = stands != std::size_t{0} && messages.front().stay != Stay::resolved;
  if (!passes) {
    news_until_s_ = 0.0;
  } else if (came) {
    news_until_s_ = ImGui::GetTime() + kNews_s;
  }
  return moving() ? std::size_t{0} : stands;
}

bool MessageLine::moving() const { return ImGui::GetTime() < news_until_s_; }

void MessageLine::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y0 - ui.hairline(), theme::kEdge);
  const auto& messages = c.state.notices.messages.list();
  if (messages.empty()) return;
  const std::optional<std::size_t> index = front(messages);
  const bool error = index && messages[*index].severity == Severity::error;
  float right = r.x1 - ui.px(16);
  float end = r.x1;  // of what opens the list
  if (error) {
    const float w = ui.width(Type::small, "Dismiss");
    const Rect area{right - w - ui.px(8), r.y0, r.x1, r.y1};
    const Hit h = ui.control("dismiss", area, FocusKind::button, "Dismiss");
    ui.text(Type::small, {right - w, r.y0, right, r.y1}, h.hovered ? theme::kText : theme::kText2, "Dismiss");
    right -= w + ui.px(20);
    end = area.x0;
    if (h.clicked) call(c.commands.dismiss_message, *index);
  }
  const std::size_t n = messages.size() - (index ? 1 : 0);
  if (n > 0) {
    const std::string older = c.compact || error ? fmt::format("{} older", n) : counted(n, "older message");
    const float w = ui.width(Type::small, older);
    ui.text(Type::small, right - w, r.y0, r.height(), theme::kMuted, older);
    right -= w + ui.px(20);
  }
  const Rect opens = Rect{r.x0, r.y0, end, r.y1}.inset(ui.px(3));
  const Hit h = ui.control("message_line", opens, FocusKind::button, "Messages");
  if (h.clicked) ui.open_popup("message_list");
  message_list(c, r);
  if (!index) return;
  const Message& m = messages[*index];
  ui.disc(r.x0 + ui.px(20), r.cy(), 4, severity_dot(m.severity));
  const float x = ui.text(Type::small, r.x0 + ui.px(34), r.y0, r.height(), theme::kMuted, m.clock) + ui.px(12);
  ui.text_fitted(Type::small, x, right, r.y0, r.height(), severity_ink(m.severity), m.text);
}

}  // namespace echoloop
