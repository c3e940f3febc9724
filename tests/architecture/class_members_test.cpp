// No class has more than twenty data members: one that needs more owns several things, each of which is a class of its
// own. Plain tables of values, where each member is one parameter, option, command or number, are listed with the
// reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <string>

#include "architecture/source_files.h"

namespace echoloop::architecture::class_members_test {
namespace {

constexpr int kMost = 20;

struct Exception {
  const char* name;
  int members;  // at most
  const char* reason;
};

constexpr auto kExceptions = std::to_array<Exception>({
    {"FormationParams", 32, "one member a parameter"},
    {"LiveStatus", 30, "numbers of one connection, as the window shows them"},
    {"DasGeometry", 22, "arguments of a kernel"},
    {"PackedDasArgs", 26, "arguments of a kernel"},
    {"PackedFirArgs", 23, "arguments of a kernel"},
    {"echoloop_sender", 36, "C, in one header that users copy"},
});

// C++ without comments, and with empty literals.
std::string code_of(const std::string& text) {
  static const std::regex dropped(R"re(//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')re");
  std::string code;
  auto kept = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), dropped), end; it != end; ++it) {
    code.append(kept, text.begin() + it->position());
    if ((*it)[0].first[0] != '/') code += '0';
    kept = text.begin() + it->position() + it->length();
  }
  return code.append(kept, text.end());
}

// The position behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const std::string& code, std::size_t open) {
  const char closing = code[open] == '{' ? '}' : ')';
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += static_cast<int>(code[i] == code[open]) - static_cast<int>(code[i] == closing);
    if (depth == 0) return i + 1;
  }
  return code.size();
}

// A statement of a class as the compiler would not see it: without access labels, alignment and template arguments.
std::string plain(std::string statement) {
  static const std::regex dropped(R"(\b(public|private|protected)\s*:|alignas\(\)|<[^<>]*>)");
  for (std::string before; before != statement;) {  // from the innermost outwards
    before = statement;
    statement = std::regex_replace(statement, dropped, "");
  }
  return statement.erase(0, std::min(statement.find_first_not_of(" \n{}"), statement.size()));
}

// Data members that a statement declares; brackets in it are empty, and it ends before its semicolon.
int declared_by(const std::string& statement) {
  static const std::regex none(
      R"(^(using|typedef|friend|static|static_assert|template|inline static|enum)\b|\boperator\b)");
  static const std::regex type(R"(^(struct|class|union)\b[^{]*\{\}\s*)"), member(R"(\w+[\s&*]+\w+[^(]*$)");
  static const std::regex function_pointer(R"(\s\(\)\(\)\s*$)");
  const std::string declared = plain(statement);
  const std::string first = declared.substr(0, declared.find('='));
  std::smatch nested;
  if (std::regex_search(declared, none)) return 0;
  if (std::regex_search(declared, nested, type)) return nested.suffix().length() > 0 ? 1 : 0;
  if (std::regex_search(first, std::regex("^(struct|class|union) \\w+$"))) return 0;  // declared only
  if (std::regex_search(first, function_pointer)) return 1;
  if (first.find('(') != first.npos || !std::regex_search(first, member)) return 0;
  return 1 + static_cast<int>(std::count(declared.begin(), declared.end(), ','));
}

int members_of(const std::string& body) {
  int members = 0;
  std::string statement;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == ';') {
      members += declared_by(statement);
      statement.clear();
    } else if (body[i] == '(' || body[i] == '{') {
      const std::string head = body[i] == '{' ? plain(statement) : "";
      const bool function = head.substr(0, head.find('=')).find("()") != head.npos;
      statement += body[i] == '{' ? "{}" : "()";
      i = behind_bracket(body, i) - 1;
      if (function) statement.clear();
    } else {
      statement += body[i];
    }
  }
  return members;
}

// Every class of a file, those within others too, with its data members.
std::map<std::string, int> classes_of(const std::string& text) {
  static const std::regex opens(
      R"((?:^|[^\w ]|\n) *(?:class|struct)\s+(?:alignas\([^)]*\)\s+)?((?:\w+::)*\w+)(?:\s+final)?(?:\s*:[^:;{()][^;{()]*)?\s*\{)");
  const std::string code = code_of(text);
  std::map<std::string, int> found;
  for (std::sregex_iterator it(code.begin(), code.end(), opens), end; it != end; ++it) {
    const auto open = static_cast<std::size_t>(it->position() + it->length()) - 1;
    const std::size_t behind = behind_bracket(code, open);
    found[it->str(1)] = members_of(code.substr(open + 1, behind - open - 2));
  }
  return found;
}

TEST(ClassMembers, AreCounted) {
  const auto found = classes_of(R"(
class Plot final : public Base<int, 3> {
 public:
  explicit Plot(int n) : n_(n), map_{{1, 2}} { start(); }
  Plot& operator=(const Plot&) = delete;
  [[nodiscard]] std::map<int, int> taken(int a = 0, int b = {}) const { return {a, b}; }
  static constexpr int kMost = 5, kLeast = 1;
  using Map = std::map<int, int>;
  struct Part {
    int a, b;  // , c;
    const char* (*name)(int, int) = nullptr;
    void act() { int local = 3; }
  };

 private:
  virtual void draw();
  std::function<void(int, int)> act_ = {}, other_;
  alignas(64) std::atomic<int> n_{0};
  std::map<int, std::pair<int, int>> map_ = {{1, {2, 3}}};
  struct {
    int x;
  } last_;
  unsigned int textures_[2] = {};
  const Part& part_;
};)");
  EXPECT_EQ(found.at("Part"), 3);
  EXPECT_EQ(found.at("Plot"), 7);
}

TEST(ClassMembers, TheTwentyFirstIsFound) {
  std::string members;
  for (int i = 0; i < kMost; ++i) members += "  int value_" + std::to_string(i) + "_ = 0;\n";
  EXPECT_EQ(classes_of("class Full {\n" + members + "};").at("Full"), kMost);
  EXPECT_EQ(classes_of("class Full {\n" + members + "  bool more_ = false;\n};").at("Full"), kMost + 1);
}

TEST(ClassMembers, AtMostTwenty) {
  int n_classes = 0;
  std::map<std::string, int> unused;
  for (const Exception& e : kExceptions) unused[e.name] = e.members;
  for (const SourceFile& file : files_in("src", kCode)) {
    for (const auto& [name, members] : classes_of(file.text)) {
      ++n_classes;
      if (members <= kMost) continue;
      const auto* e =
          std::find_if(kExceptions.begin(), kExceptions.end(), [&](const auto& x) { return x.name == name; });
      const int most = e != kExceptions.end() ? e->members : kMost;
      unused.erase(name);
      EXPECT_LE(members, most) << file.name << ": " << name;
    }
  }
  EXPECT_GT(n_classes, 800);
  for (const auto& [name, members] : unused) ADD_FAILURE() << name << " needs no exception any more";
}

}  // namespace
}  // namespace echoloop::architecture::class_members_test
