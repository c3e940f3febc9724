// A restricted unpickler: protocols 2 to 5, plain data and numpy arrays only. Reason: a pickle is a program; this
// reader executes none of it. Every opcode and every (module, name) pair that is not on the short list is rejected by
// name. Array bytes remain in the mapped file (protocol 2's text-encoded bytes are decoded once into owned memory).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/containers/array_view.h"

namespace echoloop::pickle {

// Content of a pickle as values: indices into one table, so nesting and sharing need no recursion. Internal to the
// pickle reader and its users.

using Ref = std::uint32_t;  // index of a value in its Tree

struct None {};
struct Text {
  std::string_view utf8;
};
struct Bytes {
  std::span<const std::byte> data;
};
struct List {
  std::vector<Ref> items;
};
struct Tuple {
  std::vector<Ref> items;
};
struct Dict {
  std::vector<std::pair<Ref, Ref>> items;
};
enum class Callable { reconstruct, scalar, ndarray, dtype, frombuffer, encode };
struct BlankArray {};  // numpy's _reconstruct before its BUILD

// A class of a scanner's library, or an object of it: only its name and its state in the file. Nothing of that library
// is loaded or called.
inline constexpr Ref kNoState = 0xffffffffU;
struct Opaque {
  std::string name;      // "arrus.metadata.ConstMetadata"
  Ref state = kNoState;  // its attributes: usually a dict
};

using Value = std::variant<None, bool, std::int64_t, double, Text, Bytes, List, Tuple, Dict, Callable, NumberType,
                           BlankArray, ArrayView, Opaque>;

struct Tree {
  std::vector<Value> values;
  Ref root = 0;
  std::vector<std::shared_ptr<std::vector<std::byte>>> decoded;  // bytes stored as text by protocol 2

  [[nodiscard]] const Value& operator[](Ref ref) const { return values[ref]; }
  // Returns the value for a text key of a dict; null if `dict` is no dict or has no such key.
  [[nodiscard]] const Value* find(const Value& dict, std::string_view key) const;
};

// "a list of 3", "a float32 array of shape (2, 3)", "None": for messages.
std::string describe(const Value& value);

// Returns the data; `data` must outlive the tree. Throws Error: one line naming `what` and the unsupported item.
Tree load(const std::string& what, std::span<const std::byte> data);

}  // namespace echoloop::pickle
