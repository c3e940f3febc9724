// Loads one number of a run-time type from unaligned bytes of either byte order.
// with_real_type() turns the run-time type into template arguments once, outside the loops.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/containers/number_type.h"

namespace echoloop {

static_assert(std::endian::native == std::endian::little, "samples are used in place, as little-endian bytes");

// IEEE 754 half precision (numpy's float16) as its 16 bits. The exponent's biases differ by 112; the product rounds
// nothing, also of subnormal numbers.
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
