#include "source/live/live_address.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iomanip>

#include "core/error.h"

namespace echoloop {
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
  if (error != std::errc() || end != port.data() + port.size()) {
    throw Error(whole, "port '" + std::string(port) + "'", "a port from 0 (any free one) to 65535");
  }
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
  file >> std::setw(static_cast<int>(kLongestToken) + 1) >> token;  // enough to say that it is too long
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
  if (!is_name(rest)) {
    throw Error(address.text, "name '" + std::string(rest) + "'", "up to 40 letters, digits, '-', '_' and '.'");
  }
  address.text = std::string(kLivePrefix) + std::string(rest);
  address.socket = live_folder() / (std::string(rest) + ".sock");
  return address;
}

}  // namespace echoloop
