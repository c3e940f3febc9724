// The socket that senders connect to, and who may. On this machine: a socket in a folder that only this user can enter;
// the system says who connects. On the network: TCP, with a word that the sender has to know.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>

#include "source/live/live_address.h"
#include "source/live/live_pauses.h"
#include "transport/file_descriptor.h"

namespace echoloop {

struct LivePeer {
  FileDescriptor socket;
  bool is_here = true;       // on this machine
  std::uint64_t pid = 0;     // that the system says; 0: unknown
  std::string place;         // "pid 1234", "10.0.0.7"
  std::string refused = {};  // why it may not connect; empty: it may
};

class LiveListener {
 public:
  explicit LiveListener(const LiveAddress& address);  // throws Error: in use, not allowed
  ~LiveListener();
  LiveListener(const LiveListener&) = delete;
  LiveListener& operator=(const LiveListener&) = delete;

  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const LiveAddress& address() const { return address_; }  // with the port that is in use
  [[nodiscard]] std::optional<LivePeer> accept();                        // does not wait
  // Empty, or why a peer with this token may not be the sender. A token is compared in a time that says nothing about
  // it, and only after the pause that wrong ones of the same address have begun.
  struct Refusal {
    bool passes = false;  // it may be tried again by itself
    std::string line;
  };
  [[nodiscard]] Refusal refusal(const LivePeer& peer, const std::string& token, std::int64_t now_ns);

 private:
  void listen_here();
  void listen_on_network();
  [[nodiscard]] bool knows(const std::string& token) const;
  [[nodiscard]] FileDescriptor accept_one(sockaddr_in& name);

  LiveAddress address_;
  FileDescriptor socket_;
  FileDescriptor lock_;   // of the socket's name: one viewer a name
  FileDescriptor spare_;  // given up for a moment where no other is free
  std::string token_;
  LivePauses pauses_;
};

}  // namespace echoloop
