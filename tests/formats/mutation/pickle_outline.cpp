// Pickles: by opcode, with the lengths and small numbers of their arguments. Zip: its three kinds of headers.
#include <algorithm>
#include <cstring>
#include <map>

#include "formats/mutation/outline.h"

namespace echoloop::testing {
namespace {

// Argument of an opcode: a number of bytes, or of bytes of a length followed by data; or one or two lines of text.
struct Argument {
  std::size_t fixed = 0, length = 0, lines = 0;
};

const std::map<char, Argument>& arguments() {
  static const std::map<char, Argument> kinds = [] {
    std::map<char, Argument> of;
    for (const char c : {'\x80', 'K', 'h', 'q', '\x82'}) of[c] = {.fixed = 1};
    for (const char c : {'M', '\x83'}) of[c] = {.fixed = 2};
    for (const char c : {'J', 'j', 'r', '\x84'}) of[c] = {.fixed = 4};
    for (const char c : {'G', '\x95'}) of[c] = {.fixed = 8};
    for (const char c : {'U', 'C', '\x8c', '\x8a'}) of[c] = {.length = 1};
    for (const char c : {'T', 'B', 'X', '\x8b'}) of[c] = {.length = 4};
    for (const char c : {'\x8d', '\x8e', '\x96'}) of[c] = {.length = 8};
    for (const char c : {'I', 'L', 'F', 'S', 'V', 'g', 'p', 'P'}) of[c] = {.lines = 1};
    for (const char c : {'c', 'i'}) of[c] = {.lines = 2};
    return of;
  }();
  return kinds;
}

}  // namespace

Outline pickle_outline(std::string_view bytes) {
  Outline outline;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t begin = at;
    const auto found = arguments().find(bytes[at++]);
    const Argument argument = found == arguments().end() ? Argument{} : found->second;
    const std::size_t number = argument.fixed + argument.length;
    if (at + number > bytes.size()) break;
    if (number > 0) outline.numbers.push_back({at, number});
    at += number;
    if (argument.length > 0) {
      at += std::min<std::size_t>(number_at(bytes, {at - number, number}), bytes.size() - at);
    }
    for (std::size_t k = 0; k < argument.lines; ++k) at = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    outline.numbers.push_back({begin, 1});
    outline.parts.push_back({begin, at});
  }
  return outline;
}

Outline zip_outline(std::string_view bytes) {
  Outline outline;
  const auto add = [&](std::size_t place, std::size_t skip, std::size_t shorts, std::size_t longs) {
    outline.places.push_back(place);
    for (std::size_t k = 0; k < shorts + longs; ++k) {
      const Field field{place + skip + 2 * std::min(k, shorts) + 4 * (k - std::min(k, shorts)), k < shorts ? 2U : 4U};
      if (field.at + field.bytes <= bytes.size()) outline.numbers.push_back(field);
    }
  };
  for (std::size_t at = bytes.find("PK"); at < bytes.size(); at = bytes.find("PK", at + 1)) {
    const std::string_view kind = bytes.substr(at + 2, 2);
    if (kind == "\x03\x04") add(at, 4, 5, 3), add(at, 26, 2, 0);
    if (kind == "\x01\x02") add(at, 4, 6, 3), add(at, 28, 5, 2);
    if (kind == "\x05\x06") add(at, 4, 4, 2), add(at, 20, 1, 0);
  }
  return outline;
}

std::uint64_t number_at(std::string_view bytes, const Field& field) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + field.at, field.bytes);
  return value;
}

void put_number(std::string& bytes, const Field& field, std::uint64_t value) {
  std::memcpy(bytes.data() + field.at, &value, field.bytes);
}

}  // namespace echoloop::testing
