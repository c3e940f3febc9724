// The socket between viewer and reader process: messages come whole and in order, however the system cuts them up.
#include "formats/sandbox/message_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "transport/file_descriptor.h"
#include "transport/message_stream.h"

namespace echoloop::message_channel_test {
namespace {

class Channel : public ::testing::Test {
 public:
  Channel() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    here = FileDescriptor(ends[0]);
    there = FileDescriptor(ends[1]);
    receiver = MessageChannel(here.get());
    sender = MessageChannel(there.get());
  }

  FileDescriptor here, there;
  MessageChannel receiver, sender;
};

std::vector<std::byte> payload_of(std::size_t size) {
  std::vector<std::byte> payload(size);
  for (std::size_t k = 0; k < size; ++k) payload[k] = static_cast<std::byte>(k * 31 + size);
  return payload;
}

TEST_F(Channel, MessagesThatCameTogetherAreTakenOneByOne) {
  const std::vector<std::size_t> sizes = {0, 8, 2400, 3, 5000, 4096, 1, 50'000, 0, 17};
  for (const std::size_t size : sizes) ASSERT_TRUE(sender.send(MessageKind::progress, payload_of(size)));
  for (const std::size_t size : sizes) {
    const std::optional<ReaderMessage> message = receiver.receive([] { FAIL() << "waits for what is there"; });
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->payload, payload_of(size));
  }
}

TEST_F(Channel, AMessageInPiecesIsWhole) {
  const std::vector<std::byte> payload = payload_of(3000);
  ASSERT_TRUE(sender.send(MessageKind::opened, payload));
  std::vector<std::byte> bytes(16 + payload.size());  // as it was sent
  ASSERT_EQ(::recv(here.get(), bytes.data(), bytes.size(), MSG_WAITALL), static_cast<ssize_t>(bytes.size()));
  std::thread slow([&] {
    for (std::size_t k = 0; k < bytes.size(); k += 7) {
      const std::size_t size = std::min<std::size_t>(7, bytes.size() - k);
      EXPECT_EQ(::send(there.get(), bytes.data() + k, size, 0), static_cast<ssize_t>(size));
    }
  });
  const std::optional<ReaderMessage> message = receiver.receive();
  slow.join();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->kind, MessageKind::opened);
  EXPECT_EQ(message->payload, payload);
}

TEST_F(Channel, WhoWaitsLooksUpAtEachTimeout) {
  const timeval timeout{.tv_sec = 0, .tv_usec = 1000};
  ASSERT_EQ(::setsockopt(here.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
  int looks = 0;
  const std::optional<ReaderMessage> message = receiver.receive([&] {
    if (++looks == 5) sender.send(MessageKind::all_ready);
  });
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->kind, MessageKind::all_ready);
  EXPECT_EQ(looks, 5);
}

TEST_F(Channel, TheEndInTheMiddleIsNoMessage) {
  ASSERT_TRUE(sender.send(MessageKind::progress, payload_of(8)));
  const std::uint64_t head_of_100[] = {0x000000014f4843e1U, 100, 5};
  ASSERT_EQ(::send(there.get(), head_of_100, sizeof head_of_100, 0), static_cast<ssize_t>(sizeof head_of_100));
  ASSERT_EQ(::shutdown(there.get(), SHUT_RDWR), 0);
  EXPECT_TRUE(receiver.receive().has_value());
  EXPECT_FALSE(receiver.receive().has_value());
}

}  // namespace
}  // namespace echoloop::message_channel_test
