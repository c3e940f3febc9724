// The stack machine behind pickle::load, split from the numpy part (pickle_numpy.cpp) that gives REDUCE and BUILD
// their only meanings. Internal to the pickle reader.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "formats/containers/pickle_values.h"

namespace echoloop::pickle {

inline constexpr std::size_t kMaxValues = std::size_t{1} << 22;  // opcodes that make a value; a frame needs about 15
inline constexpr std::size_t kMaxStack = std::size_t{1} << 20;   // also the longest list, tuple or dict of one opcode
inline constexpr std::size_t kMaxMarks = 64;                     // nesting depth
inline constexpr std::size_t kMaxMemo = std::size_t{1} << 22;

[[noreturn]] void refuse(const std::string& what, const std::string& found);

class ByteReader {
 public:
  ByteReader(const std::string& what, std::span<const std::byte> data) : what_(what), data_(data) {}

  std::span<const std::byte> take(std::uint64_t n) {
    if (n > data_.size() - at_) refuse(what_, "truncated: the file ends at byte " + std::to_string(data_.size()));
    const auto part = data_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return part;
  }
  unsigned byte() { return std::to_integer<unsigned>(take(1)[0]); }
  std::uint64_t natural(std::size_t n_bytes) {  // little-endian
    std::uint64_t value = 0;
    const auto raw = take(n_bytes);
    for (std::size_t k = 0; k < n_bytes; ++k) value |= std::to_integer<std::uint64_t>(raw[k]) << (8 * k);
    return value;
  }
  std::string_view text(std::uint64_t n) {
    const auto raw = take(n);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  std::string_view text_line() {
    const auto rest = data_.subspan(at_);
    const void* const end = std::memchr(rest.data(), '\n', std::min<std::size_t>(rest.size(), 256));
    if (end == nullptr) refuse(what_, "a GLOBAL name without an end");
    const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data());
    const auto line = text(length);
    take(1);
    return line;
  }
  [[nodiscard]] std::size_t left() const { return data_.size() - at_; }

 protected:
  const std::string& what_;
  std::span<const std::byte> data_;

 private:
  std::size_t at_ = 0;
};

// Meaning of a (module, name) pair: a Callable, or an Opaque for the classes that only carry values (those of ARRUS);
// Error for any pair off the list.
Value resolve(const std::string& what, std::string_view module, std::string_view name);
// Result of calling `callable` with `arguments`, without calling anything.
Value reduce(const std::string& what, Tree& tree, Callable callable, const Tuple& arguments, std::size_t file_size);
// An object of a class that only carries values, from what would be called with `arguments`.
Opaque make_object(const std::string& what, const Tree& tree, const Opaque& type, const Tuple& arguments);
// Fills a blank array, sets a dtype's byte order from a state tuple, or gives an object its attributes.
void build(const std::string& what, Tree& tree, Ref target, Ref state);

}  // namespace echoloop::pickle
