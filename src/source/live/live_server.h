// The thread that waits for senders at one address and reads what the connected one says (senders/README.md). It does
// all input and output of the sockets, in turns with the producer thread (live_turn.h); frames go to a LiveIntake.
// Whatever a sender does, the thread goes on: a fault is one line, counted, and at worst the end of that connection.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/live_status.h"
#include "source/live/live_intake.h"
#include "source/live/live_listener.h"
#include "source/live/live_notes.h"
#include "source/live/live_turn.h"
#include "source/live/socket_wait.h"
#include "transport/message_stream.h"

namespace echoloop {

class LiveServer {
 public:
  explicit LiveServer(const LiveAddress& address);  // throws Error; then the address is waited at
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] LiveIntake& intake() { return intake_; }
  [[nodiscard]] LiveStatus status() const;  // any thread
  void set_admission(Admission admission);  // any thread
  void set_frame_wait(FrameWait wait);      // any thread
  void set_end_reason(std::string why);     // of the BYE that ends it; any thread
  void end_service(std::string why);        // with a BYE; while no thread waits for a frame
  std::vector<LiveNote> take_notes();       // any thread

 private:
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
  };
  // One that has connected. The first whose HELLO is accepted is the sender until it is gone.
  struct Connection {
    Connection(LivePeer from, std::int64_t now_ns)
        : peer(std::move(from)),
          stream(std::move(peer.socket), [](std::uint32_t kind) { return live_limits(kind, LiveTransport::shared); }),
          heard_ns(now_ns) {}
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
    std::uint64_t faults = 0;  // since the last frame that was right
    std::int64_t heard_ns = 0;
    std::uint64_t heard_bytes = 0;

    // The clock of another machine is compared with this one's.
    [[nodiscard]] bool pings() const { return greeted && !peer.is_here; }
  };
  class Ended : public std::runtime_error {  // of a connection: why, for the note
   public:
    using std::runtime_error::runtime_error;
  };

  // Reading a description can take seconds, which the producer does not have: it may be asked to stop.
  enum class ServedBy { server, producer };

  void stop_serving();
  void run(const std::stop_token& stop);
  void serve_for_producer(const std::stop_token& stop, const std::function<bool()>& done);
  void serve_all(ServedBy by);
  void wait();
  void accept_all();
  void serve(Connection& connection, ServedBy by);
  void handle(Connection& connection, const StreamMessage& message);
  void greet(Connection& connection, std::span<const std::byte> payload);
  void describe(Connection& connection, std::span<const std::byte> payload);
  void take_frames(Connection& connection, const StreamMessage& message);
  void finish_frame(Connection& connection, const FrameWord& word, FrameMemory memory);
  void answer_ping(Connection& connection, std::span<const std::byte> payload);
  void take_pong(Connection& connection, std::span<const std::byte> payload);
  void tell(Connection& connection);
  void tell_state(Connection& connection, const LiveIntake::ForSender& now);
  void look_at_time(Connection& connection);
  void send(Connection& connection, LiveKind kind, std::span<const std::byte> payload, int descriptor = -1);
  [[noreturn]] void refuse(Connection& connection, LiveRefusal reason, const std::string& line);
  void fault(Connection& connection, const std::string& text);
  void end(Connection& connection, const std::string& why);
  void set_link(LiveLink link);  // since now; mutex_ is held
  [[nodiscard]] int timeout_ms() const;

  LiveListener listener_;
  std::size_t memory_size_;
  FileDescriptor memory_;  // memfd, sealed
  LiveIntake intake_;
  SocketWait wait_;
  LiveNotes notes_;
  std::stop_source stop_describing_;
  LiveTurn turn_;
  // Of the thread whose turn it is:
  std::vector<std::unique_ptr<Connection>> connections_;
  Connection* sender_ = nullptr;  // one of them, or null
  bool more_to_do_ = false;       // without a wait
  bool knocked_ = false;          // at the listener
  bool frames_came_ = false;      // and were not announced
  std::vector<pollfd> sockets_;
  std::atomic<bool> accepting_{true};
  mutable std::mutex mutex_;
  LiveStatus status_;                                 // what is known here; under mutex_
  std::string end_reason_ = "the viewer was closed";  // under mutex_
  std::jthread thread_;
};

}  // namespace echoloop
