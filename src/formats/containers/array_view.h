// Arrays of numbers as files hold them: element type, shape, memory order, and a view of the bytes.
// The common currency of the readers. Internal to src/formats.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/containers/number_type.h"

namespace echoloop {

enum class MemoryOrder { c, fortran };  // c: last axis fastest; fortran: first axis fastest

struct ArrayView {
  NumberType type;
  std::vector<std::size_t> shape;  // empty: a single number
  MemoryOrder order = MemoryOrder::c;
  std::vector<std::size_t> strides = {};  // bytes, one an axis, where they are not those of `order`; empty: they are
  std::span<const std::byte> bytes;       // exactly count() * type.bytes, but for own strides

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t stride_bytes(std::size_t axis) const;
  // Number `index` in memory order; the real part of a complex one. index < count().
  [[nodiscard]] double real_at(std::size_t index) const;
  [[nodiscard]] std::vector<double> reals() const;  // all of them
};

struct OwnedArray {  // numbers in memory or in the mapped file
  ArrayView real;
  ArrayView imaginary;  // same shape and type; no bytes: real numbers, or complex ones in `real`
  std::shared_ptr<const void> owner;
};

// Real numbers, last axis fastest.
template <class T>
OwnedArray array_of(std::vector<T> values, std::vector<std::size_t> shape) {
  const auto block = std::make_shared<const std::vector<T>>(std::move(values));
  return {.real = {.type = {NumberKind::real, sizeof(T), ByteOrder::little},
                   .shape = std::move(shape),
                   .bytes = std::as_bytes(std::span(*block))},
          .imaginary = {},
          .owner = block};
}

// The same numbers as an array of `shape`, in which each axis may be split into several, as MATLAB's reshape does
// (`fortran`: the first of them fastest) or numpy's (`c`: the last). Nothing when `shape` is no such split.
std::optional<ArrayView> split_axes(const ArrayView& view, const std::vector<std::size_t>& shape, MemoryOrder order);

// Product of the extents times item_bytes, or nothing when it does not fit in 63 bits.
std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape, std::size_t item_bytes);
std::string shape_text(std::span<const std::size_t> shape);  // "(2, 3, 8)"

}  // namespace echoloop
