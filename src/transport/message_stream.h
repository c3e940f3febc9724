// One end of a non-blocking socket: whole messages {mark, kind, size, payload} in and out, as bytes are available and
// fit. A message may carry a descriptor. Samples in a payload are received in their final place. Input is not trusted:
// sizes are bounded before memory is allocated, and descriptors are closed. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {

// Numbers and texts as a sequence of bytes: contents of messages between the viewer and another process. Numbers as in
// memory, little-endian. Reading checks every length against the available bytes.

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
  template <class Part>
  void add(const Part& part) {
    if constexpr (std::is_same_v<Part, std::string>)
      text(part);
    else
      number(part);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> bytes_;
};

// Returns texts and numbers, or plain structs of them, as a payload.
template <class... Part>
std::vector<std::byte> payload_of(const Part&... parts) {
  PayloadWriter out;
  (out.add(parts), ...);
  return out.take();
}

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
    for (char& c : value)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
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

// Sixteen bytes before every message between two processes: to a reader process (formats/sandbox) and from a sender at
// a scanner (senders/README.md). Little-endian, as all supported machines.

inline constexpr std::uint32_t kMessageMark = 0x4f4843e1;  // no text or common file begins so

struct MessageHeader {
  std::uint32_t mark = kMessageMark;
  std::uint32_t kind = 0;
  std::uint64_t size = 0;  // bytes of the payload that follows
};
static_assert(sizeof(MessageHeader) == 16);

struct StreamMessage {
  std::uint32_t kind = 0;
  std::vector<std::byte> payload;  // all of it, or Limits::head bytes
  std::uint64_t size = 0;          // of the whole payload
};

class MessageStream {
 public:
  // Limits of the payload of a message.
  struct Limits {
    std::uint64_t most = 0;  // bytes of the payload; longer ones are refused
    std::uint64_t head = 0;  // bytes delivered in the message; the rest is samples (take_samples())
  };
  using LimitsOf = std::function<Limits(std::uint32_t kind)>;

  MessageStream(FileDescriptor socket, LimitsOf limits);
  void set_limits(LimitsOf limits) { limits_ = std::move(limits); }

  [[nodiscard]] int descriptor() const { return socket_.get(); }

  // Returns the next message once it is complete. If its payload is longer than its head, call take_samples() until
  // that returns true. Throws BadMessage.
  std::optional<StreamMessage> receive();
  // Sets the target of the last message's bytes after its head; empty: they are discarded.
  void samples_into(std::span<std::byte> place);
  // Returns true when the samples are complete, also without any.
  bool take_samples();
  [[nodiscard]] bool made_progress() const { return progressed_; }  // in the last take_samples()
  [[nodiscard]] bool closed() const { return closed_; }             // the peer is gone
  // Returns true if a message is partly received.
  [[nodiscard]] bool in_the_middle() const { return !incoming_.empty() || begin_ < end_ || samples_left_ > 0; }
  [[nodiscard]] std::uint64_t received_bytes() const { return received_bytes_; }

  // Sends as much as fits now; the rest with flush(). Returns false if the peer does not read (more than kMostOutgoing
  // bytes wait) or is gone.
  bool send(std::uint32_t kind, std::span<const std::byte> payload, int descriptor = -1);
  bool flush();
  [[nodiscard]] bool wants_to_send() const { return !outgoing_.empty(); }

  static constexpr std::size_t kMostOutgoing = std::size_t{1} << 20;

 private:
  static constexpr std::size_t kBuffer = std::size_t{64} << 10;
  static constexpr std::size_t kMostAtOnce = std::size_t{512} << 10;  // so that others get their turn

  bool fill();
  bool take(std::size_t bytes);
  std::size_t receive_some(std::span<std::byte> room);
  bool send_some(int descriptor);

  FileDescriptor socket_;
  LimitsOf limits_;
  bool closed_ = false;
  bool progressed_ = false;
  std::uint64_t received_bytes_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // range of unread bytes in buffer_
  bool drained_ = false;             // the last read was short: the next call reads again
  std::vector<std::byte> incoming_;  // header and head of the incomplete message
  std::uint64_t samples_left_ = 0;
  std::span<std::byte> samples_;  // target of the next ones; empty: discarded
  std::vector<std::byte> outgoing_;
};

}  // namespace echoloop
