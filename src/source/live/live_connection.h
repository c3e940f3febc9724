// One program that has connected to a live server: its messages, and those sent to it. The first whose HELLO
// is accepted is the sender until it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "source/live/live_intake.h"
#include "source/live/live_listener.h"
#include "source/live/live_protocol.h"
#include "transport/message_stream.h"

namespace echoloop {

struct LiveConnection {
  // Of a frame whose samples follow its word.
  struct InlineFrame {
    bool skipped = false;           // the samples go nowhere
    std::optional<FrameWord> word;  // whose samples are coming
    std::optional<FrameMemory> memory;
    [[nodiscard]] bool has_begun() const { return skipped || word.has_value(); }
  };
  // The viewer's side, as the sender has it.
  struct SentState {
    LiveState state;
    std::int64_t state_ns = 0;   // when `state` was sent
    bool counts_differ = false;  // from `state`; sent a little later
    std::string stopped;
    bool memory = false;  // the descriptor of the shared memory
  };
  struct PeerClock {
    std::int64_t pinged_ns = 0;
    std::int64_t round_trip_ns = 0;  // the smallest; 0: none
    std::int64_t offset_ns = 0;      // of this machine's clock over the sender's
    // True when that is the shortest way there and back so far, whose offset is the least wrong one.
    bool take(const LivePing& pong, std::int64_t now_ns);
  };

  LiveConnection(LivePeer from, std::int64_t now_ns)
      : peer(std::move(from)), stream(std::move(peer.socket), limits_before_hello), heard_ns(now_ns) {}

  // The clock of another machine is compared with this one's.
  [[nodiscard]] bool pings() const { return greeted && !peer.is_here; }
  // HELLO was not there in time after the connection, or the rest of a message after a part of it.
  [[nodiscard]] bool is_overdue(std::int64_t now_ns);

  LivePeer peer;  // its socket is the stream's
  MessageStream stream;
  LiveHello hello;
  std::optional<StreamMessage> description;  // a DESCRIBE that waits for the server thread
  bool over = false;
  bool greeted = false;
  bool described = false;
  std::uint32_t generation = 0;
  InlineFrame incoming;
  SentState sent;
  PeerClock clock;
  std::uint64_t frames = 0;
  std::uint64_t faults = 0;   // since the last frame that was right
  std::int64_t heard_ns = 0;  // before HELLO: when it connected
  std::uint64_t heard_bytes = 0;
};

// Which one makes room for a connection from `place`: of those without an accepted HELLO, in the order in which they
// came, the oldest of the place that has most of them. One of `connections` at least is without.
[[nodiscard]] std::size_t first_to_go(const std::vector<std::unique_ptr<LiveConnection>>& connections,
                                      const std::string& place);

}  // namespace echoloop
