// One end of a socket that never waits: whole messages {mark, kind, size, payload} in and out, as far as bytes are
// there and fit. A descriptor may travel with a message. Payload that is samples goes straight to where they belong.
// What the other side sends is not believed: sizes are bounded before memory is taken, and descriptors are closed. Not
// thread-safe.
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

// The sixteen bytes before every message between two processes: to a reader process (formats/sandbox) and from a sender
// beside a scanner (senders/README.md). Little-endian, as every machine is that the program runs on.

inline constexpr std::uint32_t kMessageMark = 0x4f4843e1;  // no text, no common file begins so

struct MessageHeader {
  std::uint32_t mark = kMessageMark;
  std::uint32_t kind = 0;
  std::uint64_t size = 0;  // bytes of the payload that follows
};
static_assert(sizeof(MessageHeader) == 16);

struct StreamMessage {
  std::uint32_t kind = 0;
  std::vector<std::byte> payload;  // all of it, or as much as Limits::head asks for
  std::uint64_t size = 0;          // of the whole payload
};

class MessageStream {
 public:
  // How much of a message's payload is taken at once.
  struct Limits {
    std::uint64_t most = 0;  // bytes of the payload; longer ones are refused
    std::uint64_t head = 0;  // bytes that come as the message; the others are samples (take_samples())
  };
  using LimitsOf = std::function<Limits(std::uint32_t kind)>;

  MessageStream(FileDescriptor socket, LimitsOf limits);
  void set_limits(LimitsOf limits) { limits_ = std::move(limits); }

  [[nodiscard]] int descriptor() const { return socket_.get(); }

  // The next message, if all of it has come. After one whose payload is longer than its head, take_samples() must be
  // called until it is done. Throws BadMessage.
  std::optional<StreamMessage> receive();
  // Where the bytes of the last message beyond its head go; empty: they are thrown away.
  void samples_into(std::span<std::byte> place);
  // True when the samples are complete, also when there were none to take.
  bool take_samples();
  [[nodiscard]] bool made_progress() const { return progressed_; }  // in the last take_samples()
  [[nodiscard]] bool closed() const { return closed_; }             // the other side is gone
  // Part of a message has come, and the rest of it not yet.
  [[nodiscard]] bool in_the_middle() const { return !incoming_.empty() || begin_ < end_ || samples_left_ > 0; }
  [[nodiscard]] std::uint64_t received_bytes() const { return received_bytes_; }

  // Sends as much as fits now; the rest with flush(). False when the other side does not read (more than kMostOutgoing
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
  std::size_t begin_ = 0, end_ = 0;  // of what came and was not taken yet, in buffer_
  bool drained_ = false;             // the last piece was short: the socket is asked again by the next call
  std::vector<std::byte> incoming_;  // header and head of the message that is coming
  std::uint64_t samples_left_ = 0;
  std::span<std::byte> samples_;  // where the next of them go; empty: nowhere
  std::vector<std::byte> outgoing_;
};

}  // namespace echoloop
