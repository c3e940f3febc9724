#include "transport/message_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace echoloop {
namespace {

void write_all(int socket, std::span<const std::byte> bytes) {
  ASSERT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// A round of the server ends where nothing more is there: the end of a sender behind its last frame belongs to the same
// round, or the sender that comes next is refused as busy.
TEST(MessageStream, ReadsOnBehindSamples) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const FileDescriptor other(ends[1]);
  MessageStream stream(FileDescriptor(ends[0]),
                       [](std::uint32_t /*kind*/) { return MessageStream::Limits{.most = 1000, .head = 8}; });
  const std::array<std::byte, 24> samples{};
  const MessageHeader frame{.kind = 1, .size = 8 + samples.size()}, end{.kind = 2, .size = 0};
  write_all(other.get(), std::as_bytes(std::span(&frame, 1)));
  write_all(other.get(), std::span(samples).first(8));
  const auto head = stream.receive();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->kind, 1U);
  write_all(other.get(), samples);
  write_all(other.get(), std::as_bytes(std::span(&end, 1)));
  std::array<std::byte, 24> place{};
  stream.samples_into(place);
  ASSERT_TRUE(stream.take_samples());
  const auto last = stream.receive();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->kind, 2U);
}

}  // namespace
}  // namespace echoloop
