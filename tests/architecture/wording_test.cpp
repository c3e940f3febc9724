// Words that do not belong into texts on screen, in messages and in --help (plain technical English of the field: no
// person, no metaphor, "image" not "picture"). All string literals of src/ and the texts of the presets are searched;
// names (ids, keys, paths: a literal without a space that starts with a small letter) are contracts and left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "architecture/source_files.h"

namespace echoloop::architecture::wording_test {
namespace {

struct Text {
  int line;
  std::string words;
};

// From `begin`, behind an opening quote, to the closing one.
std::size_t end_of_quoted(const std::string& code, std::size_t begin, char quote) {
  while (begin < code.size() && code[begin] != quote) begin += code[begin] == '\\' ? 2 : 1;
  return std::min(begin, code.size());
}

// The string literals of C++ code; those that the compiler joins are joined here.
std::vector<Text> literals_of(const std::string& code) {
  std::vector<Text> texts;
  std::size_t joined_at = std::string::npos;  // where a literal would continue the one before
  int line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::size_t end = i;
    if (code.compare(i, 2, "//") == 0) {
      end = std::min(code.find('\n', i), code.size()) - 1;
    } else if (code.compare(i, 2, "/*") == 0) {
      end = std::min(code.find("*/", i), code.size() - 2) + 1;
    } else if (code[i] == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(code[i - 1])) == 0)) {
      end = end_of_quoted(code, i + 1, '\'');
    } else if (code[i] == '"') {
      const bool raw = i > 0 && code[i - 1] == 'R';
      const std::string closing = raw ? ")" + code.substr(i + 1, code.find('(', i) - i - 1) + "\"" : "";
      end = raw ? code.find(closing, i) + closing.size() - 1 : end_of_quoted(code, i + 1, '"');
      const std::string words = code.substr(i + 1, end - i - 1);
      if (joined_at == i && !texts.empty()) {
        texts.back().words += words;
      } else {
        texts.push_back({line, words});
      }
      joined_at = code.find_first_not_of(" \t\n", end + 1);
    }
    line +=
        static_cast<int>(std::count(code.begin() + static_cast<std::ptrdiff_t>(i),
                                    code.begin() + static_cast<std::ptrdiff_t>(std::min(end + 1, code.size())), '\n'));
    i = end;
  }
  return texts;
}

bool is_name(const std::string& words) {
  const bool small = !words.empty() && std::isupper(static_cast<unsigned char>(words[0])) == 0;
  return words.find(' ') == std::string::npos && small;
}

struct Forbidden {
  const char* word;  // a regular expression between word boundaries, capital letters or not
  const char* better;
};

constexpr auto kForbidden = std::to_array<Forbidden>({
    {"nobody|somebody|anybody|everybody|someone|anyone|everyone|whoever|whom", "name the class, thread or device"},
    {"pictures?", "image"},
    {"films?", "video"},
    {"look(s|ed|ing)? back|kept frames?|frames? (is|are) kept", "history"},
    {"override", "overrun"},
    {"thaw(s|ed)?|go(es)? live|go(es)? on|went on", "resume, continue"},
    {"tells?|told|says?|said|hears?|listens?|wants?|knows?", "no metaphor of a person"},
    {"gives? way|give up|gave up", "is dropped"},
    {"left out|leaves? out", "skipped, dropped"},
    {"anew|again and again|once more|over and over", "repeatedly, restarts"},
    {"by itself", "automatically"},
    {"by hand", "manual"},
    {"on purpose", "deliberate, injected"},
    {"takes? away|taken away|takes? off|taken off|takes? back|took back", "removes, subtracts, undoes"},
    {"what (is|are|was|were|it|you|lies|moves|stands)", "a noun instead of a clause"},
    {"^its?", "the noun"},
    {"found '[^']*", "NAME = VALUE is out of range (RANGE)"},
    {"honest|rests|beneath", "a term of the field"},
});

// "word (better: ...)" for each forbidden one.
std::vector<std::string> complaints_about(const std::string& words) {
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    for (const Forbidden& f : kForbidden) {
      all.emplace_back("\\b(" + std::string(f.word) + ")\\b", std::regex::icase);
    }
    return all;
  }();
  std::vector<std::string> found;
  if (is_name(words)) return found;
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    std::smatch match;
    if (std::regex_search(words, match, patterns[k]))
      found.push_back("\"" + match[1].str() + "\" (better: " + kForbidden[k].better + ") in \"" + words + "\"");
  }
  return found;
}

TEST(Wording, LiteralsAreFoundAndJoined) {
  const auto texts = literals_of("// \"no\"\nf(\"a picture \"\n  \"of it\", 'x', '\"', R\"(b \"c\")\");  /* \"d\" */");
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].words, "a picture of it");
  EXPECT_EQ(texts[0].line, 2);
  EXPECT_EQ(complaints_about(texts[0].words).size(), 1U);
}

TEST(Wording, NamesAreLeftAlone) {
  for (const char* name : {"save/picture", "picture.png", "pictures", "--history-mb"}) {
    EXPECT_TRUE(complaints_about(name).empty()) << name;
  }
  for (const char* text : {"Picture", "No picture yet", "Applied by itself.", "found '99'", "Its spectrum"}) {
    EXPECT_FALSE(complaints_about(text).empty()) << text;
  }
}

TEST(Wording, TextsOfTheProgramArePlain) {
  std::vector<SourceFile> files = files_in("src", kCode);
  for (SourceFile& preset : files_in("assets/presets", {".toml"})) files.push_back(std::move(preset));
  int n_texts = 0;
  for (const SourceFile& file : files) {
    for (const Text& text : literals_of(file.text)) {
      ++n_texts;
      for (const std::string& complaint : complaints_about(text.words)) {
        ADD_FAILURE() << file.name << ":" << text.line << ": " << complaint;
      }
    }
  }
  EXPECT_GT(n_texts, 3000);
}

}  // namespace
}  // namespace echoloop::architecture::wording_test
