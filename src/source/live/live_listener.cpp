#include "source/live/live_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr int kBacklog = 128;
constexpr int kTries = 30;
constexpr std::chrono::milliseconds kBetweenTries{10};

// A folder that no other user can enter: who could put a socket there could take the senders' frames.
void make_private_folder(const std::filesystem::path& folder) {
  ::mkdir(folder.c_str(), 0700);
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    throw Error(folder.string(), std::strerror(errno), "a folder for sockets");
  }
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    throw Error(folder.string(), "a folder that other users can enter", "a folder of this user with mode 0700");
  }
}

in_addr host_number(const LiveAddress& address) {
  in_addr number{};
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  if (::inet_pton(AF_INET, host.c_str(), &number) != 1) {
    throw Error(address.text, "host '" + address.host + "'", "an IPv4 address such as 127.0.0.1 or 0.0.0.0");
  }
  return number;
}

FileDescriptor open_spare() { return FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

LiveListener::LiveListener(const LiveAddress& address)
    : address_(address), spare_(open_spare()), token_(read_token(address)) {
  address_.is_local() ? listen_here() : listen_on_network();
  if (::listen(socket_.get(), kBacklog) != 0) throw Error(address_.text, std::strerror(errno), "a free address");
}

LiveListener::~LiveListener() {
  if (lock_.get() >= 0) ::unlink(address_.socket.c_str());
}

// A viewer that was killed leaves its socket behind; the lock beside it shows whether its process lives.
void LiveListener::listen_here() {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = address_.socket.string();
  if (path.size() >= sizeof name.sun_path) throw Error(path, "a path that is too long", "a shorter XDG_RUNTIME_DIR");
  std::memcpy(name.sun_path, path.c_str(), path.size());
  make_private_folder(address_.socket.parent_path());
  FileDescriptor lock(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) throw Error(path, std::strerror(errno), "a folder that can be written");
  int tries = 0;  // one that was cancelled just now may not have ended yet
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && ++tries < kTries) std::this_thread::sleep_for(kBetweenTries);
  if (tries == kTries) {
    throw Error(address_.text, "an address in use by another viewer", "live:NAME with another name");
  }
  lock_ = std::move(lock);
  ::unlink(path.c_str());
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket_.get() < 0 || ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    throw Error(address_.text, std::strerror(errno), "a free address");
  }
}

void LiveListener::listen_on_network() {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(address_.port);
  name.sin_addr = host_number(address_);
  socket_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto is_bound = [&] {
    return ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  };
  int tries = 0;  // one that was cancelled just now may not have ended yet
  bool bound = is_bound();
  while (!bound && errno == EADDRINUSE && ++tries < kTries) {
    std::this_thread::sleep_for(kBetweenTries);
    bound = is_bound();
  }
  if (!bound) {
    const int error = errno;
    const std::string why =
        error == EADDRINUSE ? "port " + std::to_string(address_.port) + " in use" : std::strerror(error);
    throw Error(address_.text, why,
                error == EADDRNOTAVAIL ? "an address of this machine, or 0.0.0.0 for all of them"
                                       : "a free port, or port 0 for any");
  }
  socklen_t size = sizeof name;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&name), &size);
  address_.port = ntohs(name.sin_port);
  address_.text = "live:tcp:" + address_.host + ":" + std::to_string(address_.port);
}

FileDescriptor LiveListener::accept_one(sockaddr_in& name) {
  socklen_t size = sizeof name;
  return FileDescriptor(
      ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&name), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::optional<LivePeer> LiveListener::accept() {
  sockaddr_in name{};
  FileDescriptor socket = accept_one(name);
  LivePeer peer;
  if (socket.get() < 0 && (errno == EMFILE || errno == ENFILE)) {  // who waits would be announced again and again
    spare_ = {};
    socket = accept_one(name);
    peer.refused = "no file descriptor is free";
  }
  if (socket.get() < 0) return std::nullopt;
  if (address_.is_local()) {
    ucred user{};
    socklen_t user_size = sizeof user;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &user, &user_size) != 0 || user.uid != ::geteuid()) {
      peer.refused = "a program of another user (uid " + std::to_string(user.uid) + ")";
    }
    peer.pid = static_cast<std::uint64_t>(user.pid);
    peer.place = "pid " + std::to_string(user.pid);
  } else {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &name.sin_addr, text.data(), text.size());
    peer.place = text.data();
    peer.is_here = (ntohl(name.sin_addr.s_addr) >> 24) == 127;
  }
  if (!peer.refused.empty()) {
    socket = {};
    if (spare_.get() < 0) spare_ = open_spare();
  }
  peer.socket = std::move(socket);
  return peer;
}

LiveListener::Refusal LiveListener::refusal(const LivePeer& peer, const std::string& token, std::int64_t now_ns) {
  if (token_.empty()) return {};
  if (const std::int64_t left_ns = pauses_.left_ns(peer.place, now_ns); left_ns > 0) {
    char text[120];
    std::snprintf(text, sizeof text, "busy: after wrong tokens of this address none is compared for %.1f s",
                  static_cast<double>(left_ns) * 1e-9);
    return {.passes = true, .line = text};
  }
  if (knows(token)) {
    pauses_.add_right(peer.place);
    return {};
  }
  pauses_.add_wrong(peer.place, now_ns);
  return {.passes = false, .line = "token: not the one of this viewer; expected the word in its token file"};
}

bool LiveListener::knows(const std::string& token) const {
  unsigned different = token.size() == token_.size() ? 0 : 1;
  for (std::size_t k = 0; k < token_.size(); ++k) {
    const char other = k < token.size() ? token[k] : '\0';
    different |= static_cast<unsigned>(static_cast<unsigned char>(other ^ token_[k]));
  }
  return different == 0;
}

}  // namespace echoloop
