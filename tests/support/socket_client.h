// A program at a socket of the viewer, which blocks. Messages: kind and payload; descriptors that come with them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "source/live/live_protocol.h"

namespace echoloop::testing {

class SocketClient {
 public:
  struct Message {
    std::uint32_t kind = 0;  // 0: the viewer has closed
    std::vector<std::byte> payload;
  };

  explicit SocketClient(const std::string& file_name) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string path = (live_folder() / file_name).string();
    std::memcpy(name.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  }

  void send(std::uint32_t kind, const std::vector<std::byte>& payload) {
    const MessageHeader header{.kind = kind, .size = payload.size()};
    ::send(socket_.get(), &header, sizeof header, MSG_NOSIGNAL);
    if (!payload.empty()) ::send(socket_.get(), payload.data(), payload.size(), MSG_NOSIGNAL);
  }
  Message receive() {
    MessageHeader header;
    if (!fill(&header, sizeof header)) return {};
    Message message{header.kind, std::vector<std::byte>(header.size)};
    if (!fill(message.payload.data(), header.size)) return {};
    return message;
  }
  // Maps the memory whose descriptor came last; null: refused.
  std::shared_ptr<SharedMemory> map(std::size_t bytes, int access) {
    void* const data = ::mmap(nullptr, bytes, access, MAP_SHARED, file_.get(), 0);
    if (data == MAP_FAILED) return nullptr;
    return std::make_shared<SharedMemory>(static_cast<std::byte*>(data), bytes);
  }
  [[nodiscard]] int file() const { return file_.get(); }
  void hang_up() { ::shutdown(socket_.get(), SHUT_RDWR); }

 private:
  bool fill(void* to, std::size_t size) {
    for (std::size_t at = 0; at < size;) {
      iovec place{static_cast<std::byte*>(to) + at, size - at};
      alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
      msghdr message{};
      message.msg_iov = &place;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
      if (got <= 0) return false;
      if (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr) {
        int file = -1;
        std::memcpy(&file, CMSG_DATA(part), sizeof file);
        file_ = FileDescriptor(file);
      }
      at += static_cast<std::size_t>(got);
    }
    return true;
  }

  FileDescriptor socket_, file_;
};

}  // namespace echoloop::testing
