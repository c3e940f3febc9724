// The type of a number in a file: kind, size, byte order. Internal to src/formats.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace echoloop {

enum class NumberKind { signed_integer, unsigned_integer, real, complex };
enum class ByteOrder { little, big };

struct NumberType {
  NumberKind kind = NumberKind::real;
  std::size_t bytes = 4;  // of the whole number; a complex one is two reals of half that size
  ByteOrder order = ByteOrder::little;

  bool operator==(const NumberType&) const = default;
};

// "f4", "f2", "i2", "u1", "c8" ... and an order mark '<' '>' '|' '='. Nothing for any other type (objects, text,
// structures).
std::optional<NumberType> parse_number_type(std::string_view code, char order_mark);
std::string to_string(const NumberType& type);  // "float32, big-endian"

}  // namespace echoloop
