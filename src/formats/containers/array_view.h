// Arrays of numbers as stored in files: element type, shape, memory order, and a view of the bytes. Common type of all
// readers. Internal to src/formats.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

// Type of a number in a file: kind, size, byte order. Internal to src/formats.
enum class NumberKind { signed_integer, unsigned_integer, real, complex };
enum class ByteOrder { little, big };

struct NumberType {
  NumberKind kind = NumberKind::real;
  std::size_t bytes = 4;  // whole number; a complex one is two reals of half that size
  ByteOrder order = ByteOrder::little;

  bool operator==(const NumberType&) const = default;
};

// Parses "f4", "f2", "i2", "u1", "c8" ... and an order mark '<' '>' '|' '='. Returns nullopt for any other type
// (objects, text, structures).
std::optional<NumberType> parse_number_type(std::string_view code, char order_mark);
std::optional<NumberType> named_number_type(std::string_view name);  // "int16", "complex64": little-endian
std::string to_string(const NumberType& type);                       // "float32, big-endian"

enum class MemoryOrder { c, fortran };  // c: last axis fastest; fortran: first axis fastest

struct ArrayView {
  NumberType type;
  std::vector<std::size_t> shape;  // empty: a single number
  MemoryOrder order = MemoryOrder::c;
  std::vector<std::size_t> strides = {};  // bytes, one per axis, if different from those of `order`; empty: as `order`
  std::span<const std::byte> bytes;       // exactly count() * type.bytes, except with own strides

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t stride_bytes(std::size_t axis) const;
  // Returns number `index` in memory order; the real part of a complex one. Requires index < count().
  [[nodiscard]] double real_at(std::size_t index) const;
  [[nodiscard]] std::vector<double> reals() const;  // all of them
};

struct OwnedArray {  // numbers in memory or in the mapped file
  ArrayView real;
  ArrayView imaginary;  // same shape and type; no bytes: real numbers, or complex ones in `real`
  std::shared_ptr<const void> owner;
};

// Returns an array of real numbers, last axis fastest.
template <class T>
OwnedArray array_of(std::vector<T> values, std::vector<std::size_t> shape) {
  const auto block = std::make_shared<const std::vector<T>>(std::move(values));
  return {.real = {.type = {NumberKind::real, sizeof(T), ByteOrder::little},
                   .shape = std::move(shape),
                   .bytes = std::as_bytes(std::span(*block))},
          .imaginary = {},
          .owner = block};
}

// Returns the same numbers as an array of `shape`, in which each axis may be split into several, as in MATLAB's reshape
// (`fortran`: the first of them fastest) or numpy's (`c`: the last). Returns nullopt if `shape` is no such split.
std::optional<ArrayView> split_axes(const ArrayView& view, const std::vector<std::size_t>& shape, MemoryOrder order);

// Returns the product of the extents times item_bytes; nullopt if it does not fit in 63 bits.
std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape, std::size_t item_bytes);
std::string shape_text(std::span<const std::size_t> shape);  // "(2, 3, 8)"

// Loads one number of a run-time type from unaligned bytes of either byte order.
// with_real_type() turns the run-time type into template arguments once, outside the loops.

static_assert(std::endian::native == std::endian::little, "samples are used in place, as little-endian bytes");

// IEEE 754 half precision (numpy's float16) as its 16 bits. The exponent's biases differ by 112; the product is exact,
// also for subnormal numbers.
struct Half {
  std::uint16_t bits = 0;

  explicit operator double() const {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffU) << 13;
    const bool finite = (bits & 0x7c00U) != 0x7c00U;
    const double value = finite ? static_cast<double>(std::bit_cast<float>(magnitude)) * 0x1p112
                                : static_cast<double>(std::bit_cast<float>(magnitude | 0x7f800000U));
    return (bits & 0x8000U) != 0 ? -value : value;
  }
};

template <class T, bool kSwap>
T load_number(const std::byte* at) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if constexpr (kSwap) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

// Calls f.template operator()<T, kSwap>() with the type of a real number, or of one part of a complex one.
template <class F>
auto with_real_type(const NumberType& type, F&& f) {
  const auto with_order = [&]<class T>() {
    return type.order == ByteOrder::big ? f.template operator()<T, true>() : f.template operator()<T, false>();
  };
  switch (type.kind) {
    case NumberKind::signed_integer:
      switch (type.bytes) {
        case 1:
          return with_order.template operator()<std::int8_t>();
        case 2:
          return with_order.template operator()<std::int16_t>();
        case 4:
          return with_order.template operator()<std::int32_t>();
        default:
          return with_order.template operator()<std::int64_t>();
      }
    case NumberKind::unsigned_integer:
      switch (type.bytes) {
        case 1:
          return with_order.template operator()<std::uint8_t>();
        case 2:
          return with_order.template operator()<std::uint16_t>();
        case 4:
          return with_order.template operator()<std::uint32_t>();
        default:
          return with_order.template operator()<std::uint64_t>();
      }
    case NumberKind::real:
      if (type.bytes == 2) return with_order.template operator()<Half>();
      return type.bytes == 4 ? with_order.template operator()<float>() : with_order.template operator()<double>();
    case NumberKind::complex:
      break;
  }
  return type.bytes == 8 ? with_order.template operator()<float>() : with_order.template operator()<double>();
}

}  // namespace echoloop
