#include "transport/message_stream.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace echoloop {
namespace {

constexpr std::size_t kHeader = sizeof(MessageHeader);
constexpr std::size_t kPiece = std::size_t{1} << 20;  // memory is allocated for received, not announced, bytes

// Closes descriptors received with bytes, which are not expected.
void close_descriptors(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t k = 0; k < count; ++k) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + k * sizeof(int), sizeof(int));
      const FileDescriptor closing(descriptor);
    }
  }
}

}  // namespace

MessageStream::MessageStream(FileDescriptor socket, LimitsOf limits)
    : socket_(std::move(socket)), limits_(std::move(limits)), buffer_(kBuffer) {}

// Returns the bytes received; 0 if none are available.
std::size_t MessageStream::receive_some(std::span<std::byte> room) {
  iovec place{.iov_base = room.data(), .iov_len = room.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(16 * sizeof(int))> control;
  for (;;) {
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    if (got <= 0) {
      closed_ = true;
      return 0;
    }
    if (message.msg_controllen > 0) close_descriptors(message);
    received_bytes_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
}

bool MessageStream::fill() {
  if (begin_ < end_) return true;
  if (std::exchange(drained_, false)) return false;
  begin_ = 0;
  end_ = receive_some(buffer_);
  drained_ = end_ > 0 && end_ < buffer_.size();
  return end_ > 0;
}

// Receives until `incoming_` has `bytes`; returns false if they have not come.
bool MessageStream::take(std::size_t bytes) {
  while (incoming_.size() < bytes) {
    const std::size_t have = incoming_.size();
    if (begin_ == end_ && bytes - have >= kBuffer) {  // a long description: read directly
      incoming_.resize(have + std::min(kPiece, bytes - have));
      const std::size_t got = receive_some(std::span(incoming_).subspan(have));
      incoming_.resize(have + got);
      if (got == 0) return false;
      continue;
    }
    if (!fill()) return false;
    const std::size_t size = std::min(bytes - have, end_ - begin_);
    incoming_.insert(incoming_.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                     buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + size));
    begin_ += size;
  }
  return true;
}

std::optional<StreamMessage> MessageStream::receive() {
  if (!take(kHeader)) return std::nullopt;
  MessageHeader header;
  std::memcpy(&header, incoming_.data(), kHeader);
  if (header.mark != kMessageMark) throw BadMessage("bytes that are no message");
  const Limits limits = limits_(header.kind);
  if (header.size > limits.most) {
    throw BadMessage("a message of kind " + std::to_string(header.kind) + " and " + std::to_string(header.size) +
                     " bytes, above the limit of " + std::to_string(limits.most));
  }
  const auto head = static_cast<std::size_t>(std::min(header.size, limits.head));
  if (!take(kHeader + head)) return std::nullopt;
  StreamMessage message{.kind = header.kind,
                        .payload = {incoming_.begin() + static_cast<std::ptrdiff_t>(kHeader), incoming_.end()},
                        .size = header.size};
  incoming_.clear();
  samples_left_ = header.size - head;
  samples_ = {};
  return message;
}

void MessageStream::samples_into(std::span<std::byte> place) { samples_ = place; }

bool MessageStream::take_samples() {
  progressed_ = false;
  for (std::size_t taken = 0; samples_left_ > 0 && taken < kMostAtOnce;) {
    std::size_t got = std::min<std::uint64_t>(samples_left_, end_ - begin_);
    if (got > 0) {
      if (!samples_.empty()) std::memcpy(samples_.data(), buffer_.data() + begin_, std::min(got, samples_.size()));
      begin_ += got;
    } else if (samples_.empty()) {
      if (!fill()) return false;
      continue;
    } else {
      const std::size_t most = std::min<std::uint64_t>({samples_left_, samples_.size(), kMostAtOnce});
      got = receive_some(samples_.first(most));
      drained_ = false;  // more may follow
      if (got == 0) return false;
    }
    samples_left_ -= got;
    taken += got;
    progressed_ = true;
    samples_ = samples_.subspan(std::min(got, samples_.size()));
  }
  return samples_left_ == 0;
}

// Sends as much of outgoing_ as fits; the descriptor goes with its first byte. Returns false if the peer is gone.
bool MessageStream::send_some(int descriptor) {
  std::size_t sent = 0;
  while (sent < outgoing_.size()) {
    iovec place{.iov_base = outgoing_.data() + sent, .iov_len = outgoing_.size() - sent};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* const part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(part), &descriptor, sizeof(int));
    }
    const ssize_t done = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (done <= 0) {
      closed_ = true;
      return false;
    }
    descriptor = -1;
    sent += static_cast<std::size_t>(done);
  }
  outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(sent));
  return true;
}

bool MessageStream::send(std::uint32_t kind, std::span<const std::byte> payload, int descriptor) {
  if (closed_) return false;
  // A descriptor is sent with the first byte of its own message.
  if (descriptor >= 0 && (!flush() || !outgoing_.empty())) return false;
  const MessageHeader header{.kind = kind, .size = payload.size()};
  const auto head = std::as_bytes(std::span(&header, 1));
  outgoing_.insert(outgoing_.end(), head.begin(), head.end());
  outgoing_.insert(outgoing_.end(), payload.begin(), payload.end());
  return send_some(descriptor) && outgoing_.size() <= kMostOutgoing;
}

bool MessageStream::flush() { return !closed_ && send_some(-1); }

}  // namespace echoloop
