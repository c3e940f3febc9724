#include "formats/containers/number_type.h"

namespace echoloop {

std::optional<NumberType> parse_number_type(std::string_view code, char order_mark) {
  if (code.size() < 2 || code.size() > 3) return std::nullopt;
  std::size_t bytes = 0;
  for (const char digit : code.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    bytes = bytes * 10 + static_cast<std::size_t>(digit - '0');
  }
  NumberType type{.kind = NumberKind::real, .bytes = bytes, .order = ByteOrder::little};
  switch (code[0]) {
    case 'i':
      type.kind = NumberKind::signed_integer;
      break;
    case 'u':
      type.kind = NumberKind::unsigned_integer;
      break;
    case 'f':
      type.kind = NumberKind::real;
      break;
    case 'c':
      type.kind = NumberKind::complex;
      break;
    default:
      return std::nullopt;
  }
  const bool integer = code[0] == 'i' || code[0] == 'u';
  const std::size_t smallest = integer ? 1 : code[0] == 'f' ? 2 : 8;
  const std::size_t largest = code[0] == 'c' ? 16 : 8;
  if (bytes < smallest || bytes > largest || (bytes & (bytes - 1)) != 0) return std::nullopt;
  switch (order_mark) {
    case '<':
    case '=':
      break;  // '=' means the writer's own order; every machine of this field's last 20 years is little-endian
    case '|':
      if (bytes != 1) return std::nullopt;
      break;
    case '>':
      type.order = bytes == 1 ? ByteOrder::little : ByteOrder::big;
      break;
    default:
      return std::nullopt;
  }
  return type;
}

std::string to_string(const NumberType& type) {
  std::string text;
  switch (type.kind) {
    case NumberKind::signed_integer:
      text = "int";
      break;
    case NumberKind::unsigned_integer:
      text = "uint";
      break;
    case NumberKind::real:
      text = "float";
      break;
    case NumberKind::complex:
      text = "complex";
      break;
  }
  text += std::to_string(8 * type.bytes);
  if (type.order == ByteOrder::big) text += ", big-endian";
  return text;
}

}  // namespace echoloop
