// Numbers and texts as a sequence of bytes: contents of messages between the viewer and another process. Numbers as in
// memory, little-endian. Reading checks every length against the available bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace echoloop {

// Input is no message, or has impossible values.
class BadMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PayloadWriter {
 public:
  template <class T>
  void number(const T& value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  template <class T, std::size_t n>
  void numbers(std::span<T, n> values) {
    number(static_cast<std::uint64_t>(values.size()));
    append(std::as_bytes(values));
  }
  void text(const std::string& value) { numbers(std::span(value.data(), value.size())); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> bytes_;
};

class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value;
    copy_out(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> numbers(std::size_t most) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = number<std::uint64_t>();
    if (count > most || count > bytes_.size() / sizeof(T)) throw BadMessage("a list above the size limit");
    std::vector<T> values(static_cast<std::size_t>(count));
    copy_out(values.data(), values.size() * sizeof(T));
    return values;
  }
  // Returns at most `most` bytes; control characters become '?'.
  std::string text(std::size_t most) {
    const std::vector<char> read = numbers<char>(bytes_.size());
    std::string value(read.data(), std::min(read.size(), most));
    for (char& c : value) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return value;
  }
  void expect_end() const {
    if (!bytes_.empty()) throw BadMessage("extra bytes after the message");
  }

 private:
  void copy_out(void* to, std::size_t size) {
    if (size > bytes_.size()) throw BadMessage("a truncated message");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
};

}  // namespace echoloop
