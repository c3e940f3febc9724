#include "formats/containers/pickle_numpy.h"

// What REDUCE and BUILD may mean in a pickle of numpy data, as value-to-value functions that call nothing.
// The shapes of these calls are numpy's own pickling protocol (ndarray.__reduce__, dtype.__reduce__), numpy 1 and 2.
#include <array>

#include "core/error.h"
#include "formats/base/printable.h"

namespace echoloop::pickle {
namespace {

const Value* argument(const Tree& tree, const Tuple& tuple, std::size_t k) {
  return k < tuple.items.size() ? &tree[tuple.items[k]] : nullptr;
}

template <class T>
const T& get(const std::string& what, const Tree& tree, const Tuple& tuple, std::size_t k, const char* name) {
  const Value* const value = argument(tree, tuple, k);
  const T* const typed = value == nullptr ? nullptr : std::get_if<T>(value);
  if (typed == nullptr) {
    refuse(what, std::string(name) + " of a numpy object is " + (value == nullptr ? "missing" : describe(*value)));
  }
  return *typed;
}

std::vector<std::size_t> shape_of(const std::string& what, const Tree& tree, const Tuple& shape) {
  if (shape.items.size() > 16) refuse(what, "an array of " + std::to_string(shape.items.size()) + " axes");
  std::vector<std::size_t> extents;
  for (std::size_t k = 0; k < shape.items.size(); ++k) {
    const auto extent = get<std::int64_t>(what, tree, shape, k, "shape");
    if (extent < 0) refuse(what, "an array axis of length " + std::to_string(extent));
    extents.push_back(static_cast<std::size_t>(extent));
  }
  return extents;
}

ArrayView array_of(const std::string& what, NumberType type, std::vector<std::size_t> shape, MemoryOrder order,
                   std::span<const std::byte> bytes) {
  const auto size = checked_bytes(shape, type.bytes);
  if (!size || *size != bytes.size()) {
    refuse(what, "an array of " + to_string(type) + " and shape " + shape_text(shape) + " with " +
                     std::to_string(bytes.size()) + " bytes");
  }
  return {.type = type, .shape = std::move(shape), .order = order, .bytes = bytes};
}

// encode(text, 'latin1'): each code point of the UTF-8 text is one byte.
Bytes encode_latin1(const std::string& what, Tree& tree, const Tuple& arguments, std::size_t file_size) {
  const auto text = get<Text>(what, tree, arguments, 0, "text to encode").utf8;
  const auto codec = get<Text>(what, tree, arguments, 1, "codec").utf8;
  if (codec != "latin1" && codec != "latin-1") refuse(what, "text to encode as '" + printable(codec) + "'");
  std::size_t decoded_so_far = text.size();
  for (const auto& block : tree.decoded) decoded_so_far += block->capacity();
  if (decoded_so_far > file_size + 4096) refuse(what, "text encoded repeatedly");
  auto block = std::make_shared<std::vector<std::byte>>();
  block->reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto lead = static_cast<unsigned char>(text[k]);
    if (lead < 0x80) {
      block->push_back(std::byte{lead});
      continue;
    }
    const unsigned next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0U;
    if ((lead != 0xc2 && lead != 0xc3) || (next & 0xc0U) != 0x80)
      refuse(what, "text that is not latin-1 at byte " + std::to_string(k));
    block->push_back(static_cast<std::byte>(((lead & 0x03U) << 6) | (next & 0x3fU)));
    ++k;
  }
  if (!block->empty()) tree.decoded.push_back(block);
  return {*block};
}

NumberType dtype_of(const std::string& what, const Tree& tree, const Tuple& arguments) {
  const auto code = get<Text>(what, tree, arguments, 0, "dtype").utf8;
  if (code == "b1") return {.kind = NumberKind::unsigned_integer, .bytes = 1, .order = ByteOrder::little};
  const auto type = parse_number_type(code, code.size() == 2 && code[1] == '1' ? '|' : '<');
  if (!type) refuse(what, "an array of dtype '" + printable(code) + "'");
  return *type;
}

}  // namespace

void refuse(const std::string& what, const std::string& found) {
  throw Error(what, found, "a pickle (protocol 2 to 5) of dicts, lists, numbers, text and numeric numpy arrays",
              "no code from the file was executed");
}

Value resolve(const std::string& what, std::string_view module, std::string_view name) {
  struct Known {
    std::string_view module, name;
    Callable callable;
  };
  static constexpr std::array kKnown = {
      Known{"numpy.core.multiarray", "_reconstruct", Callable::reconstruct},
      Known{"numpy._core.multiarray", "_reconstruct", Callable::reconstruct},
      Known{"numpy.core.multiarray", "scalar", Callable::scalar},
      Known{"numpy._core.multiarray", "scalar", Callable::scalar},
      Known{"numpy", "ndarray", Callable::ndarray},
      Known{"numpy", "dtype", Callable::dtype},
      Known{"numpy.core.numeric", "_frombuffer", Callable::frombuffer},
      Known{"numpy._core.numeric", "_frombuffer", Callable::frombuffer},
      Known{"_codecs", "encode", Callable::encode},
  };
  for (const Known& known : kKnown) {
    if (known.module == module && known.name == name) return known.callable;
  }
  const bool reconstructs = (module == "copyreg" || module == "copy_reg") && name == "_reconstructor";
  const bool base = (module == "builtins" || module == "__builtin__") && name == "object";
  if (module == "arrus" || module.starts_with("arrus.") || reconstructs || base)
    return Opaque{.name = printable(module, 80) + "." + printable(name, 80)};
  refuse(what, "a request for " + printable(module) + "." + printable(name));
}

Opaque make_object(const std::string& what, const Tree& tree, const Opaque& type, const Tuple& arguments) {
  if (!type.name.ends_with("._reconstructor")) return {.name = type.name};
  return {.name = get<Opaque>(what, tree, arguments, 0, "class").name};
}

Value reduce(const std::string& what, Tree& tree, Callable callable, const Tuple& arguments, std::size_t file_size) {
  switch (callable) {
    case Callable::reconstruct:
      if (get<Callable>(what, tree, arguments, 0, "class") != Callable::ndarray)
        refuse(what, "_reconstruct of a class other than ndarray");
      return BlankArray{};
    case Callable::dtype:
      return dtype_of(what, tree, arguments);
    case Callable::encode:
      return encode_latin1(what, tree, arguments, file_size);
    case Callable::scalar: {
      const auto type = get<NumberType>(what, tree, arguments, 0, "type");
      const auto number = array_of(what, type, {}, MemoryOrder::c, get<Bytes>(what, tree, arguments, 1, "value").data);
      if (type.kind == NumberKind::complex) return number;
      return number.real_at(0);
    }
    case Callable::frombuffer: {
      const auto order = get<Text>(what, tree, arguments, 3, "memory order").utf8;
      if (order != "C" && order != "F") refuse(what, "memory order '" + printable(order) + "'");
      return array_of(what, get<NumberType>(what, tree, arguments, 1, "type"),
                      shape_of(what, tree, get<Tuple>(what, tree, arguments, 2, "shape")),
                      order == "C" ? MemoryOrder::c : MemoryOrder::fortran,
                      get<Bytes>(what, tree, arguments, 0, "data").data);
    }
    case Callable::ndarray:
      break;
  }
  refuse(what, "a direct call of numpy.ndarray");
}

void build(const std::string& what, Tree& tree, Ref target, Ref state_ref) {
  if (auto* const object = std::get_if<Opaque>(&tree.values[target])) {
    const auto* const pair = std::get_if<Tuple>(&tree[state_ref]);  // (attributes, slots)
    object->state = pair != nullptr && pair->items.size() == 2
                        ? pair->items[std::holds_alternative<Dict>(tree[pair->items[0]]) ? 0 : 1]
                        : state_ref;
    return;
  }
  const Value state_value = tree[state_ref];
  const Tuple* const state = std::get_if<Tuple>(&state_value);
  if (state == nullptr) refuse(what, describe(state_value) + " as the state of " + describe(tree[target]));
  if (auto* const type = std::get_if<NumberType>(&tree.values[target])) {  // (3, '<', None, None, None, -1, -1, 0)
    const auto mark = get<Text>(what, tree, *state, 1, "byte order").utf8;
    for (std::size_t k = 2; k <= 4; ++k) get<None>(what, tree, *state, k, "structure of a dtype");
    if (mark.size() != 1 || std::string_view("<>=|").find(mark[0]) == std::string_view::npos) {
      refuse(what, "byte order '" + printable(mark) + "'");
    }
    type->order = mark[0] == '>' && type->bytes > 1 ? ByteOrder::big : ByteOrder::little;
  } else if (std::holds_alternative<BlankArray>(tree[target])) {  // (1, shape, dtype, is_fortran, bytes)
    tree.values[target] =
        array_of(what, get<NumberType>(what, tree, *state, 2, "type"),
                 shape_of(what, tree, get<Tuple>(what, tree, *state, 1, "shape")),
                 get<bool>(what, tree, *state, 3, "memory order") ? MemoryOrder::fortran : MemoryOrder::c,
                 get<Bytes>(what, tree, *state, 4, "data").data);
  } else {
    refuse(what, "a state for " + describe(tree[target]));
  }
}

}  // namespace echoloop::pickle
