// Arrays of numbers as files hold them: element type, byte order, shape, memory order, and a view of the bytes.
// The common currency of the readers; nothing here owns memory. Internal to src/formats.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

enum class NumberKind { signed_integer, unsigned_integer, real, complex };
enum class ByteOrder { little, big };
enum class MemoryOrder { c, fortran };  // c: last axis fastest; fortran: first axis fastest

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

struct ArrayView {
  NumberType type;
  std::vector<std::size_t> shape;  // empty: a single number
  MemoryOrder order = MemoryOrder::c;
  std::span<const std::byte> bytes;  // exactly count() * type.bytes

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t stride_bytes(std::size_t axis) const;
  // Number `index` in memory order; the real part of a complex one. index < count().
  [[nodiscard]] double real_at(std::size_t index) const;
};

// Product of the extents times item_bytes, or nothing when it does not fit in 63 bits.
std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape, std::size_t item_bytes);
std::string shape_text(std::span<const std::size_t> shape);  // "(2, 3, 8)"

}  // namespace echoloop
