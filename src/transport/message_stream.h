// One end of a non-blocking socket: whole messages {mark, kind, size, payload} in and out, as bytes are available and
// fit. A message may carry a descriptor. Samples in a payload are received in their final place. Input is not trusted:
// sizes are bounded before memory is allocated, and descriptors are closed. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/file_descriptor.h"

namespace echoloop {

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
