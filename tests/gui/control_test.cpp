// Requests of other programs: each command of the window has a method, or a reason for none; the manual lists all.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "app/window/window_control.h"
#include "gui/state/any_command.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing::control_test {
namespace {

template <class... Command>
std::set<std::string_view> names_of(const std::variant<Command...>*) {
  return {Command::kInfo.name...};
}

TEST(WindowControl, EveryCommandHasAMethodOrAReason) {
  const std::set<std::string_view> commands = names_of(static_cast<const AnyCommand*>(nullptr));
  std::set<std::string_view> methods, reasons;
  for (const WindowControl::Method& method : WindowControl::methods())
    EXPECT_TRUE(methods.insert(method.name).second) << method.name;
  for (const WindowControl::NotRemote& row : WindowControl::not_remote()) {
    EXPECT_TRUE(reasons.insert(row.command).second) << row.command;
    EXPECT_TRUE(commands.contains(row.command)) << row.command << " is no command";
    EXPECT_FALSE(row.reason.empty());
  }
  for (const std::string_view command : commands)
    EXPECT_NE(methods.contains(command), reasons.contains(command)) << command;
}

TEST(WindowControl, TheManualListsAllMethods) {
  const std::string page = read_text(std::filesystem::path(ECHO_SOURCE_DIR) / "assets/manual/python.md");
  for (const WindowControl::Method& method : WindowControl::methods())
    EXPECT_NE(page.find("`" + std::string(method.name) + "`"), std::string::npos) << method.name;
}

}  // namespace
}  // namespace echoloop::testing::control_test
