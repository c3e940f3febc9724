#include "source/live/live_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <thread>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr int kBacklog = 128;
constexpr int kTries = 30;
constexpr std::chrono::milliseconds kBetweenTries{10};

// Creates a folder closed to other users: a socket placed there could receive the senders' frames.
void make_private_folder(const std::filesystem::path& folder) {
  ::mkdir(folder.c_str(), 0700);
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    throw Error(folder.string(), std::strerror(errno), "a folder for sockets");
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    throw Error(folder.string(), "a folder that other users can enter", "a folder of this user with mode 0700");
}

in_addr host_number(const LiveAddress& address) {
  in_addr number{};
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  if (::inet_pton(AF_INET, host.c_str(), &number) != 1)
    throw Error(address.text, "host '" + address.host + "'", "an IPv4 address such as 127.0.0.1 or 0.0.0.0");
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

// Listens on a local socket. A killed viewer leaves its socket; the lock file shows if its process lives.
void LiveListener::listen_here() {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = address_.socket.string();
  if (path.size() >= sizeof name.sun_path) throw Error(path, "a path that is too long", "a shorter XDG_RUNTIME_DIR");
  std::memcpy(name.sun_path, path.c_str(), path.size());
  make_private_folder(address_.socket.parent_path());
  FileDescriptor lock(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0) throw Error(path, std::strerror(errno), "a folder that can be written");
  int tries = 0;  // a cancelled one may not have ended yet
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && ++tries < kTries) std::this_thread::sleep_for(kBetweenTries);
  if (tries == kTries) throw Error(address_.text, "an address in use by another viewer", "live:NAME with another name");
  lock_ = std::move(lock);
  ::unlink(path.c_str());
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket_.get() < 0 || ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
    throw Error(address_.text, std::strerror(errno), "a free address");
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
  int tries = 0;  // a cancelled one may not have ended yet
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
  if (socket.get() < 0 && (errno == EMFILE || errno == ENFILE)) {  // a waiting connection would be announced repeatedly
    spare_ = {};
    socket = accept_one(name);
    peer.refused = "no file descriptor is free";
  }
  if (socket.get() < 0) return std::nullopt;
  if (address_.is_local()) {
    ucred user{};
    socklen_t user_size = sizeof user;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &user, &user_size) != 0 || user.uid != ::geteuid())
      peer.refused = "a program of another user (uid " + std::to_string(user.uid) + ")";
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

std::int64_t LivePauses::left_ns(const std::string& place, std::int64_t now_ns) const {
  const auto at = std::ranges::find(pauses_, place, &Pause::place);
  return at == pauses_.end() ? 0 : std::max<std::int64_t>(at->end_ns - now_ns, 0);
}

void LivePauses::add_wrong(const std::string& place, std::int64_t now_ns) {
  std::erase_if(pauses_, [now_ns](const Pause& pause) { return now_ns - pause.end_ns > kForgotten_ns; });
  auto at = std::ranges::find(pauses_, place, &Pause::place);
  if (at == pauses_.end()) {
    if (pauses_.size() == kMost) pauses_.erase(std::ranges::min_element(pauses_, {}, &Pause::end_ns));
    at = pauses_.insert(pauses_.end(), {.place = place, .long_ns = kFirst_ns / 2});
  }
  at->long_ns = std::min(2 * at->long_ns, kLongest_ns);
  at->end_ns = now_ns + at->long_ns;
}

void LivePauses::add_right(const std::string& place) {
  std::erase_if(pauses_, [&place](const Pause& pause) { return pause.place == place; });
}

namespace {

constexpr std::int64_t kPatience_ns = 2'000'000'000;

}  // namespace

bool LiveConnection::PeerClock::take(const LivePing& pong, std::int64_t now_ns) {
  if (pinged_ns == 0 || pong.asked_ns != pinged_ns) return false;
  if (pong.answered_ns >> 62 != 0) return false;  // negative, or sums of two would overflow
  const std::int64_t this_trip_ns = now_ns - pong.asked_ns;
  if (round_trip_ns != 0 && this_trip_ns >= round_trip_ns) return false;
  round_trip_ns = this_trip_ns;
  offset_ns = pong.asked_ns + this_trip_ns / 2 - pong.answered_ns;
  return true;
}

bool LiveConnection::is_overdue(std::int64_t now_ns) {
  if (greeted && stream.received_bytes() != heard_bytes) {
    heard_bytes = stream.received_bytes();
    heard_ns = now_ns;
  }
  return (!greeted || stream.in_the_middle()) && now_ns - heard_ns > kPatience_ns;
}

std::size_t first_to_go(const std::vector<std::unique_ptr<LiveConnection>>& connections, const std::string& place) {
  const auto count = [&](const std::string& one) {
    return (one == place ? 1 : 0) + std::ranges::count_if(connections, [&](const auto& other) {
             return !other->greeted && other->peer.place == one;
           });
  };
  const auto goes = std::ranges::max_element(connections, {}, [&](const auto& one) {  // first of equal ones
    return one->greeted ? -1 : count(one->peer.place);
  });
  return static_cast<std::size_t>(goes - connections.begin());
}

namespace {

constexpr std::string_view kAccepted = "live:, live:NAME or live:tcp:HOST:PORT[,token=FILE]";
constexpr std::string_view kTcp = "tcp:";
constexpr std::string_view kToken = ",token=";
constexpr std::size_t kMostName = 40;
constexpr std::size_t kShortestToken = 8, kLongestToken = 1000;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostName && text.front() != '.' && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

void parse_tcp(LiveAddress& address, std::string_view rest, const std::string& whole) {
  const std::size_t token = rest.find(kToken);
  if (token != std::string_view::npos) {
    address.token = std::string(rest.substr(token + kToken.size()));
    if (address.token.empty()) throw Error(whole, "no file after token=", std::string(kAccepted));
  }
  const std::string_view place = rest.substr(0, token);
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon == 0) throw Error(whole, "no host and port", std::string(kAccepted));
  address.host = std::string(place.substr(0, colon));
  const std::string_view port = place.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size())
    throw Error(whole, "port '" + std::string(port) + "'", "a port from 0 (any free one) to 65535");
  if (!address.is_loopback() && address.token.empty()) {
    throw Error(whole, "no token on a network address", "live:tcp:" + std::string(place) + ",token=FILE",
                "FILE holds a word that senders have to send; 127.0.0.1 needs none");
  }
}

}  // namespace

std::string read_token(const LiveAddress& address) {
  if (address.token.empty()) return {};
  std::error_code none;
  std::ifstream file;
  if (std::filesystem::is_regular_file(address.token, none)) file.open(address.token);  // a pipe may have no writer
  std::string token;
  file >> std::setw(static_cast<int>(kLongestToken) + 1) >> token;  // enough to detect an overlong one
  if (!file) throw Error(address.token.string(), "no readable token", "a file with one word");
  if (token.size() < kShortestToken || token.size() > kLongestToken) {
    throw Error(address.token.string(),
                "a token of " + (token.size() > kLongestToken ? "more than 1000" : std::to_string(token.size())) +
                    " characters",
                "8 to 1000 characters without spaces");
  }
  return token;
}

std::filesystem::path live_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "echoloop";
  return "/tmp/echoloop-" + std::to_string(::geteuid());
}

LiveAddress parse_live_address(std::string_view text) {
  LiveAddress address{.text = std::string(text), .socket = {}, .host = {}, .port = 0, .token = {}};
  if (!text.starts_with(kLivePrefix)) throw Error(address.text, "no address", std::string(kAccepted));
  std::string_view rest = text.substr(kLivePrefix.size());
  if (rest.starts_with(kTcp)) {
    parse_tcp(address, rest.substr(kTcp.size()), address.text);
    return address;
  }
  if (rest.empty()) rest = "default";
  if (!is_name(rest))
    throw Error(address.text, "name '" + std::string(rest) + "'", "up to 40 letters, digits, '-', '_' and '.'");
  address.text = std::string(kLivePrefix) + std::string(rest);
  address.socket = live_folder() / (std::string(rest) + ".sock");
  return address;
}

LiveAddress local_address(const std::string& option, const std::string& name, const std::string& ending) {
  LiveAddress address = parse_live_address("live:" + name);
  if (!address.is_local()) throw invalid_value(option, name, "a name of letters, digits, '-', '_' and '.'");
  address.text = option + "=" + name;
  address.socket = live_folder() / (name + "." + ending);
  return address;
}

bool LiveTurn::begin_server(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_others = [this] { return producer_serves_ || producer_waits_ || visits_ != seen_; };
  while (!stop.stop_requested() && !server_wanted_ && is_others()) {
    const bool came_again = visits_ != std::exchange(seen_, visits_);
    if (came_again || !producer_serves_) {
      server_.wait_for(lock, kAway);
    } else {
      asleep_ = true;
      server_.wait(lock, [&] { return !asleep_ || stop.stop_requested(); });
      asleep_ = false;
    }
  }
  if (std::exchange(server_wanted_, false)) seen_ = visits_;  // the producer waits for data read by this thread
  server_serves_ = !stop.stop_requested();
  return server_serves_;
}

void LiveTurn::end_server() {
  const std::scoped_lock lock(mutex_);
  server_serves_ = false;
  if (producer_waits_) producer_.notify_one();
}

void LiveTurn::stop_server() {
  { const std::scoped_lock lock(mutex_); }
  server_.notify_one();
}

void LiveTurn::begin_producer() {
  std::unique_lock lock(mutex_);
  ++visits_;
  if (server_serves_) {
    producer_waits_ = true;
    wake_();
    producer_.wait(lock, [this] { return !server_serves_; });
    producer_waits_ = false;
  }
  producer_serves_ = true;
}

void LiveTurn::end_producer(NextTurn next) {
  bool wakes = false;
  {
    const std::scoped_lock lock(mutex_);
    producer_serves_ = false;
    ++visits_;
    server_wanted_ = server_wanted_ || next == NextTurn::server;
    wakes = std::exchange(asleep_, false) || server_wanted_;
  }
  if (wakes) server_.notify_one();
}

SocketWait::SocketWait() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void SocketWait::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void SocketWait::set_how(FrameWait how) {
  how_ = how;
  wake();
}

void SocketWait::count_frame() { frame_ns_ = now_ns(); }

bool SocketWait::spins() const { return how_ == FrameWait::spin && now_ns() - frame_ns_ < kSpin_ns; }

void SocketWait::wait(std::vector<pollfd>& sockets, int limit_ms) {
  sockets.push_back({.fd = wake_.get(), .events = POLLIN, .revents = 0});
  int ready = 0;
  while (ready == 0 && limit_ms != 0 && spins()) ready = ::poll(sockets.data(), sockets.size(), 0);
  if (ready == 0) ::poll(sockets.data(), sockets.size(), limit_ms);
  std::uint64_t count = 0;
  if (sockets.back().revents != 0) static_cast<void>(::read(wake_.get(), &count, sizeof count));
  sockets.pop_back();
}

void LiveNotes::add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  Last& last = last_[about];
  LiveNote note{.kind = kind, .text = std::move(text)};
  if (last.at_ns != 0 && now_ns - last.at_ns < kApart_ns) {
    ++last.held_back;
    last.newest = std::move(note);
    return;
  }
  keep(last, std::move(note), last.held_back, now_ns);
}

std::vector<LiveNote> LiveNotes::take(std::int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  for (auto& [about, last] : last_) {
    if (last.held_back == 0 || now_ns - last.at_ns < kApart_ns) continue;
    if (waiting_.size() >= kMost) break;
    keep(last, std::move(last.newest), last.held_back - 1, now_ns);
  }
  return std::exchange(waiting_, {});
}

void LiveNotes::keep(Last& last, LiveNote note, std::uint64_t more, std::int64_t now_ns) {
  if (more > 0) note.text += " (" + std::to_string(more) + " more)";
  last.held_back = 0;
  last.at_ns = now_ns;
  if (waiting_.size() < kMost) waiting_.push_back(std::move(note));
}

}  // namespace echoloop
