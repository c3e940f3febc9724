// Two types of one name in one namespace are one type to the linker, which then takes the functions of either for both,
// without a word. So no two headers of src/ may define the same name.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "architecture/source_files.h"

namespace echoloop::architecture::type_names_test {
namespace {

// "echoloop::Name: a.h, b.h", one a name that several headers define. Types within types are their own affair, and
// specialisations of a template no types of that name.
std::vector<std::string> defined_twice(const std::vector<SourceFile>& headers) {
  static const std::regex opens("^namespace ([A-Za-z_0-9:]+) \\{.*");
  static const std::regex defines(
      "^(?:struct|class|enum class) (?:alignas\\([^)]*\\) )?([A-Za-z_0-9]+)(?: final)?(?: :[^;]*)? \\{.*");
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& [name, text] : headers) {
    std::istringstream lines(text);
    std::string space;
    std::smatch parts;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, parts, opens)) space = parts[1].str() + "::";
      if (std::regex_match(line, parts, defines)) found[space + parts[1].str()].push_back(name);
    }
  }
  std::vector<std::string> twice;
  for (const auto& [type, where] : found) {
    if (where.size() < 2) continue;
    std::string list;
    for (const std::string& header : where) list += (list.empty() ? "" : ", ") + header;
    twice.push_back(type + ": " + list);
  }
  return twice;
}

TEST(TypeNames, ASecondOneIsFound) {
  const std::string space = "namespace echoloop {\n";
  EXPECT_EQ(defined_twice({{"a.h", space + "struct Plot {\n};\n"}, {"b.h", space + "class Plot final : Base {\n};\n"}}),
            std::vector<std::string>{"echoloop::Plot: a.h, b.h"});
}

TEST(TypeNames, OtherNamespacesAndDeclarationsAreNone) {
  EXPECT_TRUE(defined_twice({{"a.h", "namespace echoloop {\nstruct Plot {\n};\nclass Ring;\n"},
                             {"b.h", "namespace echoloop::hdf5 {\nstruct Plot {\n};\n"},
                             {"c.h", "namespace echoloop {\nclass Plot;\nenum class Ring { a };\n"}})
                  .empty());
}

TEST(TypeNames, NoneTwiceInTheHeaders) {
  for (const std::string& twice : defined_twice(files_in("src", kHeaders))) ADD_FAILURE() << twice;
}

}  // namespace
}  // namespace echoloop::architecture::type_names_test
