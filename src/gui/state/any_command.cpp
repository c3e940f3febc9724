#include "gui/state/any_command.h"

#include <tuple>
#include <utility>

namespace echoloop {

CommandInfo info_of(const AnyCommand& command) {
  CommandInfo info = std::visit([](const auto& c) { return c.kInfo; }, command);
  const auto* preset = std::get_if<command::Preset>(&command);
  const bool changes_none =
      preset == nullptr || preset->order.act == PresetCommand::load || preset->order.act == PresetCommand::activate;
  info.files = info.files || !changes_none;
  return info;
}

Commands::Commands() = default;
Commands::~Commands() = default;

std::vector<AnyCommand> Commands::take() { return std::exchange(waiting_, {}); }

template <class Command>
void Commands::send(Command command) {
  waiting_.emplace_back(std::move(command));
}

namespace {

template <class... Command>
constexpr auto senders_of(const std::variant<Command...>*) {
  return std::tuple{static_cast<void (Commands::*)(Command)>(&Commands::send<Command>)...};
}
// Instantiates send() for each command.
[[gnu::used]] const auto kSenders = senders_of(static_cast<const AnyCommand*>(nullptr));

}  // namespace
}  // namespace echoloop
