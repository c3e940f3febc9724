// No function of a header takes a bool: at the call it would say nothing. An enum class or two functions do. Headers of
// gui/ are left out: there a bool is the state of a control (chosen, on, enabled).
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "architecture/source_files.h"

namespace echoloop::architecture::bool_parameters_test {
namespace {

// Each bool between the brackets of a parameter list, as it stands there: "(bool wanted)".
std::vector<std::string> bool_parameters(const std::string& header) {
  static const std::regex comment("//[^\n]*");
  static const std::regex parameter(R"re([(,]\s*(?:const\s+)?bool(?:\s+\w+)?(?:\s*=[^,;()]*)?\s*[,)])re");
  static const std::regex template_arguments("<[^<>();]*>");
  std::string code = std::regex_replace(header, comment, "");
  for (std::string before; before != code;) {  // from the innermost outwards
    before = code;
    code = std::regex_replace(code, template_arguments, "");
  }
  std::vector<std::string> found;
  for (std::sregex_iterator it(code.begin(), code.end(), parameter), end; it != end; ++it) found.push_back(it->str());
  return found;
}

TEST(BoolParameters, AreFound) {
  for (const char* text : {"void hold(bool held);", "void f(int n,\n       const bool all = true, int m = 0);",
                           "void f(bool);", "inline int f(std::span<const int> v, bool sorted) { return 1; }"}) {
    EXPECT_EQ(bool_parameters(text).size(), 1U) << text;
  }
}

TEST(BoolParameters, MembersResultsAndTemplateArgumentsAreNone) {
  for (const char* text : {"bool open_ = false, given_up_ = false;", "[[nodiscard]] bool done() const;",
                           "std::array<bool, 3> open;", "using Value = std::variant<None, bool, double>;",
                           "std::function<bool(int)> stop;", "// f(bool on)", "bool (*acts)(const ParamSpec&);"}) {
    EXPECT_TRUE(bool_parameters(text).empty()) << text;
  }
}

TEST(BoolParameters, NoneInTheHeaders) {
  for (const SourceFile& header : files_in("src", kHeaders)) {
    if (header.name.starts_with("gui/")) continue;
    for (const std::string& found : bool_parameters(header.text))
      ADD_FAILURE() << "src/" << header.name << ": " << found;
  }
}

}  // namespace
}  // namespace echoloop::architecture::bool_parameters_test
