#include "gui/state/ui_state.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace echoloop {

std::string message_words(const Message& message) {
  constexpr std::array kSeverity = {"", "Warning: ", "Error: "};
  return fmt::format("{}{}{}", kSeverity[static_cast<std::size_t>(message.severity)], message.text,
                     message.stay == Stay::resolved ? " (resolved)" : "");
}

std::string message_line(const Message& message) { return message.clock + "  " + message_words(message); }

void MessageLog::post(Message message) {
  if (message.severity == Severity::error) resolve(message.cause);
  list_.insert(list_.begin(), std::move(message));
  if (list_.size() <= kMost) return;
  list_.pop_back();
  ++removed_;
}

void MessageLog::resolve(std::string_view cause) {
  for (Message& m : list_) {
    if (!cause.empty() && m.cause == cause && m.severity != Severity::info) m.stay = Stay::resolved;
  }
}

void MessageLog::dismiss(std::size_t index) {
  if (index < list_.size()) list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string MessageLog::text() const {
  std::string all;
  for (const Message& m : list_) all += message_line(m) + "\n";
  return all;
}

std::optional<std::size_t> standing(const std::vector<Message>& messages) {
  const auto stays = [](const Message& m) { return m.stay == Stay::as_newest; };
  auto found = std::find_if(messages.begin(), messages.end(),
                            [&](const Message& m) { return m.severity == Severity::error && stays(m); });
  if (found == messages.end()) found = std::find_if(messages.begin(), messages.end(), stays);
  if (found == messages.end()) return std::nullopt;
  return static_cast<std::size_t>(found - messages.begin());
}

namespace {

std::string clock_text() { return fmt::format("{:%H:%M:%S}", fmt::localtime(std::time(nullptr))); }

}  // namespace

void Model::say(Severity severity, const std::string& text, const std::string& cause) {
  notices.messages.post({.severity = severity, .clock = clock_text(), .text = text, .cause = cause});
}

void Model::hint(const std::string& text) {
  notices.messages.post({.clock = clock_text(), .text = text, .stay = Stay::passing});
}

}  // namespace echoloop
