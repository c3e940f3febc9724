// Socket for programs of this user that control a run, and their lines in both directions. Never waits for a program.
// Main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/live/live_listener.h"

namespace echoloop {

struct ControlLine {
  std::uint64_t client = 0;
  std::string text;
};

class ControlSocket {
 public:
  static constexpr std::size_t kMostClients = 16;
  static constexpr std::size_t kMostLine = std::size_t{1} << 20;    // bytes of a request
  static constexpr std::size_t kMostUnread = std::size_t{1} << 20;  // bytes of answers; above, no request is taken
  static constexpr std::int64_t kStalled_ns = 2'000'000'000;        // above, without a byte read: disconnected

  // Socket NAME.control in the folder of those for senders. Throws Error: the name is not valid, or in use.
  explicit ControlSocket(const std::string& name);

  // Returns true if a program connected, sent, reads or left; waits for that at most so long.
  [[nodiscard]] bool wait(int most_ms) const;
  void read();                                                    // accepts programs, receives what they have sent
  [[nodiscard]] std::optional<ControlLine> take();                // the next request, of each program in turn
  [[nodiscard]] std::vector<std::string> take_arrived();          // "pid 1234"
  [[nodiscard]] std::string place_of(std::uint64_t client);       // "pid 1234"; empty: it has left
  void put(std::uint64_t client, const nlohmann::json& message);  // no effect if it has left
  // Events of one kind that a program has not read are replaced by the newest.
  void put_event(std::uint64_t client, const std::string& kind, const nlohmann::json& message);
  void send();  // as far as the programs read

 private:
  struct Client {
    std::uint64_t number = 0;
    FileDescriptor socket;
    std::string place = {};
    std::string in = {}, out = {};
    std::size_t taken = 0;                           // bytes of `in`
    std::map<std::string, std::string> events = {};  // waiting, by kind
    std::int64_t read_ns = 0;                        // last time that it read
    bool closed = false;                             // sends nothing more
    bool ended = false;
    [[nodiscard]] bool has_request() const {
      return out.size() <= kMostUnread && in.find('\n', taken) != std::string::npos;
    }
    [[nodiscard]] bool may_send() const { return !closed && out.size() <= kMostUnread && in.size() <= kMostLine; }
  };
  [[nodiscard]] Client* find(std::uint64_t client);
  void accept();
  static void receive(Client& client);
  static void send(Client& client);

  LiveListener listener_;
  std::vector<Client> clients_;
  std::vector<std::string> arrived_;
  std::uint64_t numbers_ = 0;
  std::size_t turn_ = 0;  // of the program whose request is next
};

}  // namespace echoloop
