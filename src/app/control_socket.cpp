#include "app/control_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::string line_of(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string refusal(const std::string& line) {
  const nlohmann::json error = {{"code", -32600}, {"message", line}};
  return line_of({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", error}});
}

}  // namespace

ControlSocket::ControlSocket(const std::string& name) : listener_(local_address("--control", name, "control")) {}

ControlSocket::Client* ControlSocket::find(std::uint64_t client) {
  const auto at = std::ranges::find(clients_, client, &Client::number);
  return at == clients_.end() ? nullptr : &*at;
}

bool ControlSocket::wait(int most_ms) const {
  if (std::ranges::any_of(clients_, &Client::has_request)) return true;
  std::vector<pollfd> sockets = {{listener_.descriptor(), POLLIN, 0}};
  for (const Client& client : clients_) {
    const int events = (client.may_send() ? POLLIN : 0) | (client.out.empty() ? 0 : POLLOUT);
    sockets.push_back({client.socket.get(), static_cast<short>(events), 0});
  }
  return ::poll(sockets.data(), sockets.size(), most_ms) > 0;
}

void ControlSocket::accept() {
  while (std::optional<LivePeer> peer = listener_.accept()) {
    if (!peer->refused.empty()) continue;
    Client client{.number = ++numbers_, .socket = std::move(peer->socket), .place = peer->place, .read_ns = now_ns()};
    if (clients_.size() == kMostClients) {
      client.out = refusal(std::to_string(kMostClients) + " programs are connected; expected one fewer");
      send(client);
      continue;
    }
    arrived_.push_back(peer->place);
    clients_.push_back(std::move(client));
  }
}

void ControlSocket::receive(Client& client) {
  client.in.erase(0, std::exchange(client.taken, 0));
  std::array<char, 65536> part{};
  while (client.may_send()) {
    const ssize_t n = ::recv(client.socket.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) client.closed = true;
    if (n <= 0) break;
    client.in.append(part.data(), static_cast<std::size_t>(n));
    if (client.in.size() > kMostLine && client.in.find('\n') == std::string::npos) {
      client.out += refusal("a line above 1 MiB; expected a shorter request");
      send(client);
      client.ended = true;
    }
    if (static_cast<std::size_t>(n) < part.size()) break;
  }
  pollfd state{client.socket.get(), 0, 0};
  const bool gone = ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
  const bool stalled = client.out.size() > kMostUnread && now_ns() - client.read_ns > kStalled_ns;
  client.ended = client.ended || stalled || (gone && !client.may_send() && !client.has_request());
}

void ControlSocket::read() {
  accept();
  for (Client& client : clients_) receive(client);
  std::erase_if(clients_, [](const Client& client) { return client.ended; });
}

std::optional<ControlLine> ControlSocket::take() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client& client = clients_[(turn_ + i) % clients_.size()];
    if (!client.has_request()) continue;
    turn_ = (turn_ + i + 1) % clients_.size();
    const std::size_t begin = client.taken, end = client.in.find('\n', begin);
    client.taken = end + 1;
    return ControlLine{client.number, client.in.substr(begin, end - begin)};
  }
  return std::nullopt;
}

std::vector<std::string> ControlSocket::take_arrived() { return std::exchange(arrived_, {}); }

std::string ControlSocket::place_of(std::uint64_t client) {
  const Client* const found = find(client);
  return found == nullptr ? "" : found->place;
}

void ControlSocket::put(std::uint64_t client, const nlohmann::json& message) {
  if (Client* const to = find(client)) to->out += line_of(message);
}

void ControlSocket::put_event(std::uint64_t client, const std::string& kind, const nlohmann::json& message) {
  if (Client* const to = find(client)) to->events[kind] = line_of(message);
}

void ControlSocket::send() {
  for (Client& client : clients_) {
    send(client);
    if (!client.out.empty() || client.events.empty()) continue;
    for (auto& [kind, line] : std::exchange(client.events, {})) client.out += line;
    send(client);
  }
}

void ControlSocket::send(Client& client) {
  while (!client.out.empty()) {
    const ssize_t n = ::send(client.socket.get(), client.out.data(), client.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) client.ended = true;
    if (n <= 0) return;
    client.out.erase(0, static_cast<std::size_t>(n));
    client.read_ns = now_ns();
  }
  client.read_ns = now_ns();  // nothing is unread
}

}  // namespace echoloop
