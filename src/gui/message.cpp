#include "gui/message.h"

#include <algorithm>
#include <utility>

namespace echoloop {
namespace {

constexpr std::size_t kMostMessages = 100;

}  // namespace

void post(std::vector<Message>& messages, Message message) {
  if (message.severity == Severity::error) resolve(messages, message.cause);
  messages.insert(messages.begin(), std::move(message));
  if (messages.size() > kMostMessages) messages.pop_back();
}

void resolve(std::vector<Message>& messages, std::string_view cause) {
  for (Message& m : messages) {
    if (!cause.empty() && m.cause == cause && m.severity != Severity::info) m.stay = Stay::resolved;
  }
}

std::optional<std::size_t> standing(const std::vector<Message>& messages) {
  const auto stays = [](const Message& m) { return m.stay == Stay::as_newest; };
  auto found = std::find_if(messages.begin(), messages.end(),
                            [&](const Message& m) { return m.severity == Severity::error && stays(m); });
  if (found == messages.end()) found = std::find_if(messages.begin(), messages.end(), stays);
  if (found == messages.end()) return std::nullopt;
  return static_cast<std::size_t>(found - messages.begin());
}

}  // namespace echoloop
