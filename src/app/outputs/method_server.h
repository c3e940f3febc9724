// Offers of other programs of this user to be the method of image formation, e.g. a Python function, at the socket
// NAME.method (protocol: assets/manual/python-method.md). A method gets frames only once it is used; arrays lie in
// shared memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/outputs/method_process.h"
#include "core/own_method.h"
#include "source/live/live_listener.h"

namespace echoloop {

struct MethodOffer {
  std::uint64_t id = 0;
  std::string name;     // of the method
  std::string program;  // with its number
  std::string input;    // kOwnInputs
};

class MethodServer {
 public:
  static constexpr std::size_t kMostPrograms = 8;

  // viewer: NAME of the socket. Throws Error: not valid, or in use.
  explicit MethodServer(const std::string& viewer);
  ~MethodServer();
  MethodServer(const MethodServer&) = delete;
  MethodServer& operator=(const MethodServer&) = delete;

  // Any thread.
  [[nodiscard]] std::vector<MethodOffer> offers() const;  // not yet answered
  bool use(std::uint64_t id);                             // in place of the one in use; false: it has gone
  void refuse(std::uint64_t id);
  [[nodiscard]] std::optional<UsedMethod> used() const;
  void detach();  // ends the connection of the method in use

 private:
  using ProcessPtr = std::shared_ptr<MethodProcess>;

  void serve();
  void accept();
  [[nodiscard]] ProcessPtr find(std::uint64_t id) const;

  LiveListener listener_;
  SocketWait wait_;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::vector<ProcessPtr> processes_;  // under mutex_; changed by the server thread alone
  ProcessPtr used_;                    // under mutex_
  std::uint64_t last_id_ = 0;
  std::thread thread_;  // last
};

// Server of this program, made when first asked for. Throws Error: another viewer has its socket.
MethodServer& method_server();
// Null: not made.
MethodServer* known_method_server();
void end_method_server();  // once nothing uses its methods

// For a command line, python:NAME: waits for an offer of that name, uses it and loads it (load_own_method()). Throws
// Error: none came within `wait_s`.
void take_python_method(const std::string& name, double wait_s);

// Frames and times of the method in use, for a report; null: there is none.
nlohmann::json python_method_json();

// Returns one line on frames of the method in use without its pixels; empty: all have them, or there is none.
std::string python_method_fault();

}  // namespace echoloop
