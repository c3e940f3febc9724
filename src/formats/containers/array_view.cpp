#include "formats/containers/array_view.h"

#include <limits>

namespace echoloop {

std::size_t ArrayView::count() const { return checked_bytes(shape, 1).value_or(0); }

std::size_t ArrayView::stride_bytes(std::size_t axis) const {
  if (!strides.empty()) return strides[axis];
  std::size_t stride = type.bytes;
  if (order == MemoryOrder::c)
    for (std::size_t a = axis + 1; a < shape.size(); ++a) stride *= shape[a];
  else
    for (std::size_t a = 0; a < axis; ++a) stride *= shape[a];
  return stride;
}

std::optional<ArrayView> split_axes(const ArrayView& view, const std::vector<std::size_t>& shape, MemoryOrder order) {
  ArrayView split{.type = view.type, .shape = shape, .order = view.order, .strides = {}, .bytes = view.bytes};
  std::size_t next = 0;
  for (std::size_t a = 0; a < view.shape.size(); ++a) {
    const std::size_t begin = next;
    std::size_t product = 1;
    while (next < shape.size() && (next == begin || product < view.shape[a])) {
      if (shape[next] == 0 || product > view.shape[a] / shape[next]) return std::nullopt;
      product *= shape[next++];
    }
    if (product != view.shape[a]) return std::nullopt;
    split.strides.resize(next);
    std::size_t stride = view.stride_bytes(a);
    for (std::size_t k = 0; k < next - begin; ++k) {
      const std::size_t part = order == MemoryOrder::fortran ? begin + k : next - 1 - k;
      split.strides[part] = stride;
      stride *= shape[part];
    }
  }
  if (next != shape.size()) return std::nullopt;
  return split;
}

double ArrayView::real_at(std::size_t index) const {
  const std::byte* const at = bytes.data() + index * type.bytes;
  return with_real_type(type, [at]<class T, bool kSwap>() { return static_cast<double>(load_number<T, kSwap>(at)); });
}

std::vector<double> ArrayView::reals() const {
  std::vector<double> all(count());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = real_at(k);
  return all;
}

std::optional<std::size_t> checked_bytes(std::span<const std::size_t> shape, std::size_t item_bytes) {
  constexpr std::size_t kMost = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  std::size_t product = item_bytes;
  bool empty = item_bytes == 0;
  for (const std::size_t extent : shape) {
    if (extent > kMost) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (product > kMost / extent)
      return std::nullopt;  // also with a zero extent: no real writer produces such a shape
    else
      product *= extent;
  }
  return empty ? 0 : product;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t a = 0; a < shape.size() && a < 8; ++a) text += (a > 0 ? ", " : "") + std::to_string(shape[a]);
  return text + (shape.size() > 8 ? ", ...)" : ")");
}

std::optional<NumberType> parse_number_type(std::string_view code, char order_mark) {
  if (code.size() < 2 || code.size() > 3) return std::nullopt;
  std::size_t bytes = 0;
  for (const char digit : code.substr(1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    bytes = bytes * 10 + static_cast<std::size_t>(digit - '0');
  }
  constexpr std::string_view kCodes = "iufc";  // in the order of NumberKind
  const std::size_t kind = kCodes.find(code[0]);
  if (kind == kCodes.npos) return std::nullopt;
  NumberType type{.kind = static_cast<NumberKind>(kind), .bytes = bytes, .order = ByteOrder::little};
  const bool integer = code[0] == 'i' || code[0] == 'u';
  const std::size_t smallest = integer ? 1 : code[0] == 'f' ? 2 : 8;
  const std::size_t largest = code[0] == 'c' ? 16 : 8;
  if (bytes < smallest || bytes > largest || (bytes & (bytes - 1)) != 0) return std::nullopt;
  // '=' is the writer's own order; all common machines of the last 20 years are little-endian.
  if (order_mark == '>' && bytes > 1) type.order = ByteOrder::big;
  const bool known =
      order_mark == '|' ? bytes == 1 : std::string_view("<=>").find(order_mark) != std::string_view::npos;
  return known ? std::optional(type) : std::nullopt;
}

std::optional<NumberType> named_number_type(std::string_view name) {
  for (const NumberKind kind :
       {NumberKind::signed_integer, NumberKind::unsigned_integer, NumberKind::real, NumberKind::complex}) {
    for (const std::size_t bytes : {1U, 2U, 4U, 8U, 16U}) {
      const NumberType type{.kind = kind, .bytes = bytes, .order = ByteOrder::little};
      const bool made = kind == NumberKind::complex ? bytes >= 8
                        : kind == NumberKind::real  ? bytes >= 2 && bytes <= 8
                                                    : bytes <= 8;
      if (made && to_string(type) == name) return type;
    }
  }
  return std::nullopt;
}

std::string to_string(const NumberType& type) {
  constexpr std::array kNames = {"int", "uint", "float", "complex"};  // in the order of NumberKind
  std::string text = kNames[static_cast<std::size_t>(type.kind)] + std::to_string(8 * type.bytes);
  if (type.order == ByteOrder::big) text += ", big-endian";
  return text;
}

}  // namespace echoloop
