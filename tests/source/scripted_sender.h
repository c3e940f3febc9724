// Peer of the protocol for tests: sends what the test requests, also invalid messages, byte by byte. Written from
// src/senders/README.md, independent of the senders for users.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace echoloop::testing {

using Bytes = std::vector<std::uint8_t>;

template <class T>
Bytes& operator<<(Bytes& out, const T& value) {
  out.resize(out.size() + sizeof(T));
  std::memcpy(out.data() + out.size() - sizeof(T), &value, sizeof(T));
  return out;
}
inline Bytes& operator<<(Bytes& out, const std::string& text) {
  out << std::uint64_t{text.size()};
  out.resize(out.size() + text.size());
  std::memcpy(out.data() + out.size() - text.size(), text.data(), text.size());
  return out;
}

// Frame word.
struct ScriptedWord {
  std::uint64_t sequence = 0;
  std::int64_t acquired = 0;
  std::uint64_t ticks = 0, lost = 0, bytes = 0;
  std::uint32_t block = 0, generation = 0, flags = 0, crc = 0;
  std::uint64_t zero = 0;
};

class ScriptedSender {
 public:
  using Word = ScriptedWord;
  struct Message {
    std::uint32_t kind = 0;
    Bytes payload;
    [[nodiscard]] std::string text(std::size_t at) const {
      std::uint64_t size = 0;
      std::memcpy(&size, payload.data() + at, 8);
      return {payload.begin() + static_cast<std::ptrdiff_t>(at + 8),
              payload.begin() + static_cast<std::ptrdiff_t>(at + 8 + size)};
    }
    template <class T>
    [[nodiscard]] T at(std::size_t offset) const {
      T value;
      std::memcpy(&value, payload.data() + offset, sizeof(T));
      return value;
    }
  };
  struct Credit {
    std::uint32_t block, generation;
    std::uint64_t offset;
  };

  explicit ScriptedSender(const std::filesystem::path& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  }
  // Connects over TCP, from an address of this machine's own 127.0.0.0/8.
  ScriptedSender(std::uint16_t port, const char* from, std::string token = {})
      : transport(2), token_(std::move(token)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &name.sin_addr);
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = ::bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
    name.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
    connected_ = bound && ::connect(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  }
  ~ScriptedSender() {
    close();
    if (memory_ != nullptr) ::munmap(memory_, memory_size_);
  }
  ScriptedSender(const ScriptedSender&) = delete;
  ScriptedSender& operator=(const ScriptedSender&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void end_writing() const { ::shutdown(socket_, SHUT_WR); }
  [[nodiscard]] bool connected() const { return connected_; }

  bool raw(const Bytes& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }
  bool message(std::uint32_t kind, const Bytes& payload) {
    Bytes out;
    out << std::uint32_t{0x4f4843e1} << kind << std::uint64_t{payload.size()};
    out.resize(out.size() + payload.size());
    std::memcpy(out.data() + out.size() - payload.size(), payload.data(), payload.size());
    return raw(out);
  }
  static Bytes hello_payload(std::uint32_t transport = 1, std::uint16_t major = 1, std::uint32_t order = 0x01020304,
                             const std::string& token = {}) {
    Bytes p;
    p << major << std::uint16_t{0} << order << static_cast<std::uint64_t>(::getpid()) << transport << std::uint32_t{1};
    p << std::string("scripted") << token;
    return p;
  }
  bool hello() { return message(1, hello_payload(transport, 1, 0x01020304, token_)); }
  bool describe(std::uint32_t generation, const std::string& json) {
    this->generation = generation;
    Bytes p;
    p << generation << std::uint32_t{0};
    p.resize(p.size() + json.size());
    std::memcpy(p.data() + p.size() - json.size(), json.data(), json.size());
    return message(3, p);
  }
  bool words(const std::vector<Word>& words) {
    Bytes p;
    for (const Word& word : words) p << word;
    return message(7, p);
  }

  // Returns the next message of this kind, skipping others (keeps credits); nullopt when closed or after 20 s.
  std::optional<Message> expect(std::uint32_t kind) {
    while (std::optional<Message> got = receive()) {
      take_credits(*got);
      if (got->kind == kind) return got;
    }
    return std::nullopt;
  }
  // Sends HELLO and DESCRIBE, up to ACCEPTED.
  bool begin(const std::string& json) {
    return hello() && expect(2).has_value() && describe(0, json) && expect(4).has_value();
  }
  // Sends a frame if there is a credit for it now, else reads what has come. Returns false when the viewer is gone.
  bool soon_frame(std::uint64_t sequence, const Word& word) {
    std::erase_if(credits, [this](const Credit& credit) { return credit.generation != generation; });
    if (!credits.empty()) return frame(sequence, 1, word);
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 5) <= 0) return true;
    const std::optional<Message> got = receive();
    if (got.has_value()) take_credits(*got);
    return got.has_value();
  }
  // Fills a block with `value` and sends its word; waits for a credit.
  bool frame(std::uint64_t sequence, std::uint8_t value, Word word = {}) {
    while (credits.empty() || credits.back().generation != generation) {
      if (!credits.empty()) {
        credits.pop_back();
        continue;
      }
      if (!expect(6).has_value()) return false;
    }
    const Credit credit = credits.back();
    credits.pop_back();
    word.sequence = sequence;
    word.bytes = frame_bytes;
    word.block = credit.block;
    word.generation = generation;
    if (transport == 2) {
      Bytes p;
      p << word;
      p.resize(p.size() + frame_bytes, value);
      return message(7, p);
    }
    std::memset(memory_ + credit.offset, value, frame_bytes);
    return words({word});
  }
  // Writes into the block of a credit, independent of its owner.
  void overwrite(const Credit& credit, std::uint8_t value) { std::memset(memory_ + credit.offset, value, frame_bytes); }
  // Sends an unexpected descriptor, with an empty message.
  bool send_descriptor() {
    Bytes out;
    out << std::uint32_t{0x4f4843e1} << std::uint32_t{0x80000001} << std::uint64_t{0};
    iovec place{.iov_base = out.data(), .iov_len = out.size()};
    alignas(cmsghdr) std::uint8_t control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    const int standard_output = 1;
    std::memcpy(CMSG_DATA(part), &standard_output, sizeof(int));
    return ::sendmsg(socket_, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(out.size());
  }
  [[nodiscard]] bool closed_by_viewer() { return !expect(0).has_value() && end_; }

  std::uint32_t transport = 1;
  std::uint32_t generation = 0;
  std::uint64_t frame_bytes = 0;
  std::vector<Credit> credits;
  std::set<std::uint32_t> seen;  // kinds of received messages

 private:
  void take_credits(const Message& message) {
    if (message.kind != 6) return;
    for (std::size_t at = 0; at < message.payload.size(); at += 16) credits.push_back(message.at<Credit>(at));
  }
  bool receive_all(void* to, std::size_t size) {
    auto* at = static_cast<std::uint8_t*>(to);
    while (size > 0) {
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 20'000) <= 0) return false;
      iovec place{.iov_base = at, .iov_len = size};
      alignas(cmsghdr) std::uint8_t control[CMSG_SPACE(sizeof(int))];
      msghdr message{};
      message.msg_iov = &place;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      const ssize_t n = ::recvmsg(socket_, &message, 0);
      if (n <= 0) {
        end_ = true;
        return false;
      }
      if (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr && part->cmsg_type == SCM_RIGHTS) {
        std::memcpy(&descriptor_, CMSG_DATA(part), sizeof(int));
      }
      at += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  std::optional<Message> receive() {
    std::uint32_t head[4];
    if (!receive_all(head, sizeof head)) return std::nullopt;
    std::uint64_t size = 0;
    std::memcpy(&size, &head[2], 8);
    Message message{.kind = head[1], .payload = Bytes(size)};
    if (!receive_all(message.payload.data(), size)) return std::nullopt;
    seen.insert(message.kind);
    if (message.kind == 4) {
      frame_bytes = message.at<std::uint64_t>(8);
      const auto memory = message.at<std::uint64_t>(16);
      if (memory > 0) {
        memory_size_ = memory;
        memory_ =
            static_cast<std::uint8_t*>(::mmap(nullptr, memory, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0));
        ::close(descriptor_);
      }
    }
    return message;
  }

  std::string token_;
  int socket_ = -1;
  int descriptor_ = -1;
  bool connected_ = false;
  bool end_ = false;
  std::uint8_t* memory_ = nullptr;
  std::size_t memory_size_ = 0;
};

// Describes four elements, eight samples, int16; `more`: further keys.
inline std::string small_scan(int n_samples = 8, const std::string& more = {}) {
  return R"({"axes": ["transmit", "element", "time"], "shape": [1, 4, )" + std::to_string(n_samples) +
         R"(], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0,)" + more +
         R"("t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]})";
}

}  // namespace echoloop::testing
