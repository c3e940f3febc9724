// Where the viewer waits for a sender: "live:" and "live:NAME" on this machine, "live:tcp:HOST:PORT[,token=FILE]" on
// the network. Pure, but for the folder that the environment names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace echoloop {

inline constexpr std::string_view kLivePrefix = "live:";

struct LiveAddress {
  std::string text;              // in full: "live:default"
  std::filesystem::path socket;  // of the first form; empty: TCP
  std::string host;              // IPv4 in dots, or "localhost"
  std::uint16_t port = 0;        // 0: any that is free
  std::filesystem::path token;   // file with the word that a sender has to know; empty: none

  bool operator==(const LiveAddress&) const = default;
  [[nodiscard]] bool is_local() const { return !socket.empty(); }
  [[nodiscard]] bool is_loopback() const { return host == "localhost" || host.starts_with("127."); }
};

// Throws Error: unknown form, a name that is no name, a network address without a token.
[[nodiscard]] LiveAddress parse_live_address(std::string_view text);

// The word in the token file; empty: the address has none. Throws Error.
[[nodiscard]] std::string read_token(const LiveAddress& address);

// $XDG_RUNTIME_DIR/echoloop, or /tmp/echoloop-UID where the system sets none.
[[nodiscard]] std::filesystem::path live_folder();

}  // namespace echoloop
