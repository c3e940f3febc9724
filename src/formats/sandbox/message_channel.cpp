#include "formats/sandbox/message_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "transport/message_header.h"
#include "transport/payload.h"

namespace echoloop {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// Only the description of a recording is long.
std::uint64_t longest(MessageKind kind) {
  return kind == MessageKind::opened    ? kMaxMessageBytes
         : kind == MessageKind::outline ? kMaxOutlineBytes
                                        : kMaxShortBytes;
}

}  // namespace

bool MessageChannel::send_bytes(std::span<const std::byte> bytes, const std::function<void()>& waiting) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (waiting) waiting();
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

// What is short goes in one piece: every call costs both processes.
bool MessageChannel::send(MessageKind kind, std::span<const std::byte> payload, const std::function<void()>& waiting) {
  constexpr std::size_t kShort = 2400;
  const MessageHeader header{.kind = static_cast<std::uint32_t>(kind), .size = payload.size()};
  const auto head = std::as_bytes(std::span(&header, 1));
  if (payload.size() > kShort) return send_bytes(head, waiting) && send_bytes(payload, waiting);
  std::array<std::byte, sizeof(MessageHeader) + kShort> piece;
  const auto end = std::copy(payload.begin(), payload.end(), std::copy(head.begin(), head.end(), piece.begin()));
  return send_bytes(std::span(piece.begin(), end), waiting);
}

// What is there, at least a byte; 0 when the other side is gone.
std::size_t MessageChannel::receive_some(std::span<std::byte> room, const std::function<void()>& waiting) {
  for (int flags = MSG_DONTWAIT;;) {
    const ssize_t got = ::recv(socket_, room.data(), room.size(), flags);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (waiting) waiting();
      flags = 0;
    } else if (errno != EINTR) {
      return 0;
    }
  }
}

bool MessageChannel::receive_bytes(std::span<std::byte> bytes, const std::function<void()>& waiting) {
  while (!bytes.empty()) {
    if (begin_ == end_ && bytes.size() >= kept_.size()) {
      const std::size_t got = receive_some(bytes, waiting);
      if (got == 0) return false;
      bytes = bytes.subspan(got);
      continue;
    }
    if (begin_ == end_) {
      begin_ = 0;
      end_ = receive_some(kept_, waiting);
      if (end_ == 0) return false;
    }
    const std::size_t size = std::min(bytes.size(), end_ - begin_);
    std::copy_n(kept_.data() + begin_, size, bytes.data());
    begin_ += size;
    bytes = bytes.subspan(size);
  }
  return true;
}

std::optional<ReaderMessage> MessageChannel::receive(const std::function<void()>& waiting) {
  const std::function<void()> inside = [&] {  // a message that was begun
    if (!waiting) return;
    try {
      waiting();
    } catch (...) {
      cut_ = true;
      throw;
    }
  };
  MessageHeader header;
  const auto head = std::as_writable_bytes(std::span(&header, 1));
  if (!receive_bytes(head.first(1), waiting) || !receive_bytes(head.subspan(1), inside)) return std::nullopt;
  if (header.mark != kMessageMark) throw BadMessage("no message");
  const auto kind = static_cast<MessageKind>(header.kind);
  if (header.size > longest(kind)) throw BadMessage("a message above the size limit");
  ReaderMessage message{.kind = kind, .payload = {}};
  while (message.payload.size() < header.size) {  // memory is taken as the bytes come, not as they are announced
    const std::size_t begin = message.payload.size();
    message.payload.resize(begin + std::min<std::size_t>(kPiece, header.size - begin));
    if (!receive_bytes(std::span(message.payload).subspan(begin), inside)) return std::nullopt;
  }
  return message;
}

}  // namespace echoloop
