// Socket for programs of this user that control the window, and their lines in both directions. Never waits. UI thread
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "source/live/live_listener.h"

namespace echoloop {

struct ControlLine {
  std::uint64_t client = 0;
  std::string text;
};

class ControlSocket {
 public:
  static constexpr std::size_t kMostClients = 8;
  static constexpr std::size_t kMostLine = std::size_t{1} << 20;  // bytes of a request

  // Socket NAME.control in the folder of those for senders. Throws Error: the name is not valid, or in use.
  explicit ControlSocket(const std::string& name);

  [[nodiscard]] bool has_news() const;                    // a program connected, sent or left
  [[nodiscard]] std::vector<ControlLine> read();          // accepts programs; returns their complete lines
  [[nodiscard]] std::vector<std::string> take_arrived();  // "pid 1234"
  [[nodiscard]] bool has(std::uint64_t client) const;
  void put(std::uint64_t client, const nlohmann::json& message);  // no effect if it has left
  void send();                                                    // as far as the programs read

 private:
  struct Client {
    std::uint64_t number = 0;
    FileDescriptor socket;
    std::string in = {}, out = {};
    bool ended = false;
  };
  void accept();
  static void receive(Client& client);
  static void send(Client& client);

  LiveListener listener_;
  std::vector<Client> clients_;
  std::vector<std::string> arrived_;
  std::uint64_t numbers_ = 0;
  bool left_ = false;  // complete lines wait for the next window frame
};

}  // namespace echoloop
