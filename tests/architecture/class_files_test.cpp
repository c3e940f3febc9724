// A class lives in one source file: one that needs several has too much in it, and is split by what it owns.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "architecture/source_files.h"

namespace echoloop::architecture::class_files_test {
namespace {

// Classes with functions in more than one file, each with its files; a class inside a class is one of its own.
std::map<std::string, std::set<std::string>> classes_in_several_files(const std::vector<SourceFile>& files) {
  static const std::regex opens("^namespace ([A-Za-z_0-9:]+) \\{.*");
  // "void Outer::Inner::act(", "Outer::Outer(", "Outer::~Outer(": at the beginning of a line.
  static const std::regex defines(
      R"(^(?:[A-Za-z_\[][^(;=]*[ &*])?((?:[A-Z]\w*::)*[A-Z]\w*)::(?:~?[A-Za-z_]\w*|operator[^ (]+)\(.*)");
  std::map<std::string, std::set<std::string>> found;
  for (const auto& [name, text] : files) {
    std::istringstream lines(text);
    std::string space;
    std::smatch parts;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, parts, opens)) space = parts[1].str() + "::";
      if (std::regex_match(line, parts, defines)) found[space + parts[1].str()].insert(name);
    }
  }
  std::erase_if(found, [](const auto& one) { return one.second.size() < 2; });
  return found;
}

TEST(ClassFiles, AClassInTwoFilesIsFound) {
  const std::string space = "namespace echoloop {\n";
  const std::vector<SourceFile> files = {
      {"a.cpp", space + "Plot::Plot(int n)\n    : n_(n) {}\n"},
      {"b.cpp", space + "std::vector<float> Plot::ticks() const {\nvoid Ring::Slot::give() {\n"},
      {"c.cpp", space + "Ring::Slot Ring::take() {\n"}};
  const auto found = classes_in_several_files(files);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.begin()->first, "echoloop::Plot");
  EXPECT_EQ(found.begin()->second, (std::set<std::string>{"a.cpp", "b.cpp"}));
}

TEST(ClassFiles, CallsTypesAndOtherNamespacesAreNone) {
  const std::string body = "void Plot::draw() {\n";
  EXPECT_TRUE(
      classes_in_several_files({{"a.cpp", "namespace echoloop {\n" + body},
                                {"b.cpp", "namespace echoloop {\nPlot::Axis axis_of(int n) {\n  Plot::draw();\n"},
                                {"c.cpp", "namespace echoloop::cuda {\n" + body},
                                {"d.cpp", "namespace echoloop {\nint draw(Plot::Axis axis);\n// Plot::draw()\n"}})
          .empty());
}

TEST(ClassFiles, OneFileForEachClass) {
  for (const auto& [name, where] : classes_in_several_files(files_in("src", {".cpp", ".cu"}))) {
    std::string list;
    for (const std::string& file : where) list += " " + file;
    ADD_FAILURE() << name << ":" << list;
  }
}

}  // namespace
}  // namespace echoloop::architecture::class_files_test
