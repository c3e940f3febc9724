#include "formats/mutation/text_edits.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace echoloop::testing {
namespace {

// Values that a parser or a key may not expect.
constexpr std::array kEverywhere{
    "0",        "-1", "1",  "1e308", "-1e308", "1e-320",    "99999999999999999999", "2147483648", "65536", "1e18",
    "0.000001", "[]", "{}", "\"\"",  "true",   "[[[[[[[[[["};
constexpr std::array kJson{"null",    "NaN", "-Infinity", "1e999", "\"\\u0000\"", "\"\\ud800\"",
                           "{\"a\":", ":",   ",",         "01",    "\"\xff\""};
constexpr std::array kToml{"nan",
                           "inf",
                           "\n",
                           "=",
                           "a.b.c.d",
                           "\"\"\"",
                           "'''",
                           "[[x]]\n",
                           "{a = 1}",
                           "1979-05-27T07:32:00Z",
                           "0xffffffffffffffff",
                           "\"\\U0010ffff\"",
                           "\"\\x\"",
                           "#"};
constexpr std::array kNpy{"'<f4'",  "'<i2'", "'>f8'", "'|O'",      "'<c16'",  "'<U4000000000'",
                          "True",   "(1,)",  "()",    "(0, 0, 0)", "(-1, 8)", "(4294967296, 4294967296)",
                          "'descr'"};
constexpr std::size_t kMostRepeated = 300;  // deeper than any parser should recurse

std::string word_for(Grammar grammar, Dice& dice) {
  if (dice.one_in(2)) return dice.any_of(kEverywhere);
  return grammar == Grammar::json   ? dice.any_of(kJson)
         : grammar == Grammar::toml ? dice.any_of(kToml)
                                    : dice.any_of(kNpy);
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
}

std::string part_of(const std::string& bytes, const Span& part) {
  return bytes.substr(part.begin, part.end - part.begin);
}

}  // namespace

std::vector<Span> text_parts(std::string_view text) {
  std::vector<Span> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char c = text[at++];
    if (c == '"' || c == '\'') {
      while (at < text.size() && text[at] != c && text[at] != '\n') ++at;
      at = std::min(at + 1, text.size());
    } else if (is_word(c)) {
      while (at < text.size() && is_word(text[at])) ++at;
    } else if (c == ' ') {
      continue;
    }
    parts.push_back({begin, at});
  }
  return parts;
}

std::string with_parts_moved(const std::string& bytes, const std::vector<Span>& parts, Dice& dice) {
  if (parts.empty()) return bytes;
  const Span part = dice.any_of(parts), other = dice.any_of(parts);
  std::string out = bytes;
  const std::size_t length = part.end - part.begin;
  switch (dice.below(4)) {
    case 0:
      return out.erase(part.begin, length);
    case 1: {
      std::string many;
      const std::size_t times = dice.one_in(4) ? kMostRepeated : 1 + dice.below(3);
      for (std::size_t k = 0; k < times && many.size() < 1U << 20; ++k) many += part_of(bytes, part);
      return out.insert(part.begin, many);
    }
    case 2:
      return out.replace(part.begin, length, part_of(bytes, other));
    default:
      return out.insert(part.end, part_of(bytes, other));
  }
}

std::string edited_text(std::string text, Grammar grammar, Dice& dice) {
  const std::vector<Span> parts = text_parts(text);
  if (parts.empty()) return word_for(grammar, dice);
  if (dice.one_in(3)) return with_parts_moved(text, parts, dice);
  const Span part = dice.any_of(parts);
  return text.replace(part.begin, part.end - part.begin, word_for(grammar, dice));
}

}  // namespace echoloop::testing
