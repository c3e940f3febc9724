#include "formats/containers/mat_cells.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr const char* kCellLayout = "a cell for each transmit, time x element [x frame] of numbers of one type";
constexpr std::size_t kMaxCellBytes = std::size_t{8} << 30;

using CellBlock = std::vector<std::byte>;

// One part (real or imaginary) of all cells, zero where they end before the longest.
ArrayView join_part(const MatNode& cell, ArrayView MatNode::*part, const std::vector<std::size_t>& shape,
                    CellBlock& block) {
  const ArrayView& first = cell.cells.front().*part;
  const std::size_t item = first.type.bytes, rows = shape[0], n_cells = shape[2];
  block.resize(checked_bytes(shape, item).value());
  for (std::size_t k = 0; k < n_cells; ++k) {
    const ArrayView& from = cell.cells[k].*part;
    const std::size_t own_rows = cell.cells[k].dims[0], columns = shape[1];
    for (std::size_t line = 0; line < columns * shape[3]; ++line) {  // element fastest, then frame
      const std::size_t to = ((line / columns * n_cells + k) * columns + line % columns) * rows;
      std::memcpy(block.data() + to * item, from.bytes.data() + line * own_rows * item, own_rows * item);
    }
  }
  return {.type = first.type, .shape = shape, .order = MemoryOrder::fortran, .bytes = block};
}

}  // namespace

OwnedArray join_recordings(const std::string& what, const MatNode& cell, const std::shared_ptr<const void>& owner) {
  std::vector<std::size_t> shape;
  bool complex = false;
  for (std::size_t k = 0; k < cell.cells.size(); ++k) {
    const MatNode& node = cell.cells[k];
    std::vector<std::size_t> dims = node.dims;
    const bool numbers = node.kind == MatNode::Kind::numbers && dims.size() >= 2 && dims.size() <= 3;
    dims.resize(3, 1);
    if (k == 0) {
      shape = {dims[0], dims[1], cell.cells.size(), dims[2]};
      complex = !node.imaginary.bytes.empty();
    }
    if (!numbers || dims[1] != shape[1] || dims[2] != shape[3] || complex == node.imaginary.bytes.empty() ||
        node.numbers.type != cell.cells.front().numbers.type) {
      throw Error(what,
                  "cell " + std::to_string(k + 1) + " of shape " + shape_text(node.dims) + " after a cell of shape " +
                      shape_text(cell.cells.front().dims),
                  kCellLayout);
    }
    shape[0] = std::max(shape[0], dims[0]);
  }
  if (cell.cells.empty()) throw Error(what, "an empty cell array", kCellLayout);
  OwnedArray array;
  if (cell.cells.size() == 1) {
    array.real = cell.cells[0].numbers;
    array.imaginary = cell.cells[0].imaginary;
    array.owner = owner;
    return array;
  }
  const auto bytes = checked_bytes(shape, cell.cells[0].numbers.type.bytes);
  if (!bytes || *bytes > kMaxCellBytes)
    throw Error(what, "cells with a total of " + shape_text(shape) + " numbers", kCellLayout);
  struct Owner {
    CellBlock real, imaginary;
  };
  const auto joined = std::make_shared<Owner>();
  array.real = join_part(cell, &MatNode::numbers, shape, joined->real);
  if (complex) array.imaginary = join_part(cell, &MatNode::imaginary, shape, joined->imaginary);
  if (shape[3] == 1) {
    for (ArrayView* view : {&array.real, &array.imaginary}) view->shape = {shape[0], shape[1], shape[2]};
  }
  array.owner = joined;
  return array;
}

std::optional<MatField> join_rows(const MatNode& cell) {
  if (cell.kind != MatNode::Kind::cell || cell.cells.empty()) return std::nullopt;
  const std::size_t n_rows = cell.cells.size(), n = cell.cells.front().numbers.count();
  MatField field{.dims = {n_rows, n}, .values = std::vector<double>(n_rows * n)};
  for (std::size_t k = 0; k < n_rows; ++k) {
    const MatNode& row = cell.cells[k];
    if (row.kind != MatNode::Kind::numbers || row.numbers.count() != n) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) field.values[i * n_rows + k] = row.numbers.real_at(i);
  }
  return field;
}

}  // namespace echoloop
