#include "app/window/control_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/error.h"

namespace echoloop {
namespace {

LiveAddress control_address(const std::string& name) {
  LiveAddress address = parse_live_address("live:" + name);
  if (!address.is_local()) throw invalid_value("--control", name, "a name of letters, digits, '-', '_' and '.'");
  address.text = "--control=" + name;
  address.socket = live_folder() / (name + ".control");
  return address;
}

std::string refusal(const std::string& line) {
  const nlohmann::json error = {{"code", -32600}, {"message", line}};
  return nlohmann::json({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", error}}).dump() + "\n";
}

}  // namespace

ControlSocket::ControlSocket(const std::string& name) : listener_(control_address(name)) {}

bool ControlSocket::has_news() const {
  if (left_) return true;
  std::vector<pollfd> sockets = {{listener_.descriptor(), POLLIN, 0}};
  for (const Client& client : clients_)
    sockets.push_back({client.socket.get(), static_cast<short>(client.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  return ::poll(sockets.data(), sockets.size(), 0) > 0;
}

void ControlSocket::accept() {
  while (std::optional<LivePeer> peer = listener_.accept()) {
    if (!peer->refused.empty()) continue;
    Client client{.number = ++numbers_, .socket = std::move(peer->socket)};
    if (clients_.size() == kMostClients) {
      client.out = refusal("8 programs are connected; expected one fewer");
      send(client);
      continue;
    }
    arrived_.push_back(peer->place);
    clients_.push_back(std::move(client));
  }
}

void ControlSocket::receive(Client& client) {
  constexpr std::size_t kMostWaiting = std::size_t{8} << 20;  // bytes of answers that a program does not read
  std::array<char, 65536> part{};
  while (!client.ended && client.out.size() < kMostWaiting && client.in.size() <= kMostLine) {
    const ssize_t n = ::recv(client.socket.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) client.ended = true;
    if (n <= 0) return;
    client.in.append(part.data(), static_cast<std::size_t>(n));
    if (client.in.size() > kMostLine && client.in.find('\n') == std::string::npos) {
      client.out += refusal("a line above 1 MiB; expected a shorter request");
      client.in.clear();
      send(client);
      client.ended = true;
    }
    if (static_cast<std::size_t>(n) < part.size()) return;
  }
}

std::vector<ControlLine> ControlSocket::read() {
  accept();
  constexpr std::size_t kMostAtOnce = 256;  // of a program, so that the window goes on
  std::vector<ControlLine> lines;
  left_ = false;
  for (Client& client : clients_) {
    receive(client);
    std::size_t begin = 0, n = 0;
    for (std::size_t end = client.in.find('\n'); end != std::string::npos; end = client.in.find('\n', begin)) {
      left_ = left_ || n == kMostAtOnce;
      if (n++ == kMostAtOnce) break;
      lines.push_back({client.number, client.in.substr(begin, end - begin)});
      begin = end + 1;
    }
    client.in.erase(0, begin);
  }
  std::erase_if(clients_, [](const Client& client) { return client.ended; });
  return lines;
}

std::vector<std::string> ControlSocket::take_arrived() { return std::exchange(arrived_, {}); }

bool ControlSocket::has(std::uint64_t client) const {
  return std::ranges::find(clients_, client, &Client::number) != clients_.end();
}

void ControlSocket::put(std::uint64_t client, const nlohmann::json& message) {
  const auto to = std::ranges::find(clients_, client, &Client::number);
  if (to == clients_.end()) return;
  to->out += message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void ControlSocket::send() {
  for (Client& client : clients_) send(client);
}

void ControlSocket::send(Client& client) {
  while (!client.out.empty()) {
    const ssize_t n = ::send(client.socket.get(), client.out.data(), client.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) client.ended = true;
    if (n <= 0) return;
    client.out.erase(0, static_cast<std::size_t>(n));
  }
}

}  // namespace echoloop
