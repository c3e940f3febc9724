// Socket for senders, and access control. On this machine: a socket in a folder of this user only; the system
// identifies the sender. On the network: TCP, with a token.
#pragma once

#include <netinet/in.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "core/stream_settings.h"
#include "source/live/live_intake.h"
#include "source/live/live_protocol.h"
#include "transport/file_descriptor.h"
#include "transport/message_stream.h"

namespace echoloop {

// Address at which the viewer waits for a sender: "live:" and "live:NAME" on this machine,
// "live:tcp:HOST:PORT[,token=FILE]" on the network. Pure, except for the folder from the environment.

inline constexpr std::string_view kLivePrefix = "live:";

struct LiveAddress {
  std::string text;              // in full: "live:default"
  std::filesystem::path socket;  // local form; empty: TCP
  std::string host;              // IPv4 in dots, or "localhost"
  std::uint16_t port = 0;        // 0: any free port
  std::filesystem::path token;   // file with the sender's token; empty: none

  bool operator==(const LiveAddress&) const = default;
  [[nodiscard]] bool is_local() const { return !socket.empty(); }
  [[nodiscard]] bool is_loopback() const { return host == "localhost" || host.starts_with("127."); }
};

// Throws Error: unknown form, invalid name, network address without a token.
[[nodiscard]] LiveAddress parse_live_address(std::string_view text);

// Returns the address of a socket NAME.ENDING beside those of senders. Throws Error: `option` has an invalid name.
[[nodiscard]] LiveAddress local_address(const std::string& option, const std::string& name, const std::string& ending);

// Returns the token in the file; empty: the address has none. Throws Error.
[[nodiscard]] std::string read_token(const LiveAddress& address);

// Returns $XDG_RUNTIME_DIR/echoloop, or /tmp/echoloop-UID if not set.
[[nodiscard]] std::filesystem::path live_folder();

// Pauses after wrong tokens: during an address's pause no token from it is compared. The pause doubles with each wrong
// token, so that a token cannot be guessed. Pure: each call gets the time. Not thread-safe.
class LivePauses {
 public:
  static constexpr std::int64_t kFirst_ns = 100'000'000, kLongest_ns = 10'000'000'000;
  static constexpr std::int64_t kForgotten_ns = 60'000'000'000;  // after the end of a pause
  static constexpr std::size_t kMost = 64;  // addresses; the one whose pause ends first is replaced

  [[nodiscard]] std::int64_t left_ns(const std::string& place, std::int64_t now_ns) const;  // 0: none
  void add_wrong(const std::string& place, std::int64_t now_ns);
  void add_right(const std::string& place);

 private:
  struct Pause {
    std::string place;
    std::int64_t long_ns = 0;
    std::int64_t end_ns = 0;
  };
  std::vector<Pause> pauses_;
};

struct LivePeer {
  FileDescriptor socket;
  bool is_here = true;       // on this machine
  std::uint64_t pid = 0;     // from the system; 0: unknown
  std::string place;         // "pid 1234", "10.0.0.7"
  std::string refused = {};  // reason of a refusal; empty: accepted
};

class LiveListener {
 public:
  explicit LiveListener(const LiveAddress& address);  // throws Error: in use, not allowed
  ~LiveListener();
  LiveListener(const LiveListener&) = delete;
  LiveListener& operator=(const LiveListener&) = delete;

  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const LiveAddress& address() const { return address_; }  // with the actual port
  [[nodiscard]] std::optional<LivePeer> accept();                        // does not wait
  // Returns why a peer with this token may not be the sender; empty: it may. Tokens are compared in constant time, and
  // only after the pause started by wrong ones from the same address.
  struct Refusal {
    bool passes = false;  // an automatic retry may succeed
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
  FileDescriptor lock_;   // of the socket's name: one viewer per name
  FileDescriptor spare_;  // released for a moment when no other is free
  std::string token_;
  LivePauses pauses_;
};

// Program connected to a live server, with its messages in both directions. The first whose HELLO is accepted is the
// sender until it disconnects.
struct LiveConnection {
  // Frame whose samples follow its word.
  struct InlineFrame {
    bool skipped = false;           // samples are discarded
    std::optional<FrameWord> word;  // of the samples being received
    std::optional<FrameMemory> memory;
    [[nodiscard]] bool has_begun() const { return skipped || word.has_value(); }
  };
  // Viewer's state as known to the sender.
  struct SentState {
    LiveState state;
    std::int64_t state_ns = 0;   // time of sending `state`
    bool counts_differ = false;  // from `state`; sent a little later
    std::string stopped;
    bool memory = false;  // descriptor of the shared memory
  };
  struct PeerClock {
    std::int64_t pinged_ns = 0;
    std::int64_t round_trip_ns = 0;  // the smallest; 0: none
    std::int64_t offset_ns = 0;      // this machine's clock minus the sender's
    // Returns true for the shortest round trip so far, whose offset has the smallest error.
    bool take(const LivePing& pong, std::int64_t now_ns);
  };

  LiveConnection(LivePeer from, std::int64_t now_ns)
      : peer(std::move(from)), stream(std::move(peer.socket), limits_before_hello), heard_ns(now_ns) {}

  // Compares the clock of another machine with this one's.
  [[nodiscard]] bool pings() const { return greeted && !peer.is_here; }
  // Returns true if HELLO is late after the connection, or the rest of a message after its start.
  [[nodiscard]] bool is_overdue(std::int64_t now_ns);

  LivePeer peer;  // its socket is the stream's
  MessageStream stream;
  LiveHello hello;
  std::optional<StreamMessage> description;  // a DESCRIBE waiting for the server thread
  bool over = false;
  bool greeted = false;
  bool described = false;
  std::uint32_t generation = 0;
  InlineFrame incoming;
  SentState sent;
  PeerClock clock;
  std::uint64_t frames = 0;
  std::uint64_t faults = 0;   // since the last correct frame
  std::int64_t heard_ns = 0;  // before HELLO: time of the connection
  std::uint64_t heard_bytes = 0;
};

// Returns the connection to close for a new one from `place`: of those without an accepted HELLO, in order of arrival,
// the oldest of the place with most of them. At least one of `connections` is without.
[[nodiscard]] std::size_t first_to_go(const std::vector<std::unique_ptr<LiveConnection>>& connections,
                                      const std::string& place);

// Decides which thread reads the sockets of a live source: the server thread, or the producer thread while it waits for
// a frame. A frame then wakes one thread in place of two, and waking is most of a frame's cost. The server thread reads
// when the producer stays away: paused, blocked by the policy, or absent.
enum class NextTurn { any, server };  // server: work is waiting for that thread

class LiveTurn {
 public:
  static constexpr std::chrono::milliseconds kAway{20};  // longest absence of the producer

  // `wake` ends the server thread's wait at the sockets; any thread.
  explicit LiveTurn(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Server thread. Returns false once `stop` is requested.
  bool begin_server(const std::stop_token& stop);
  void end_server();
  void stop_server();  // any thread: after the request to stop
  // Producer thread.
  void begin_producer();
  void end_producer(NextTurn next);

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable server_, producer_;
  // All below under mutex_.
  bool server_serves_ = false, producer_serves_ = false, producer_waits_ = false;
  bool server_wanted_ = false;
  bool asleep_ = false;  // the server thread waits without a limit: the producer has been here within kAway
  std::uint64_t visits_ = 0, seen_ = 0;
};

// Wait at the sockets of a live source: asleep, or for a while after each frame in a spin, because waking a thread
// takes 15 us and more.
class SocketWait {
 public:
  static constexpr std::int64_t kSpin_ns = 100'000'000;  // duration of the spin after a frame

  SocketWait();
  void wake() const;            // ends the wait, or the next one; any thread
  void set_how(FrameWait how);  // any thread
  void count_frame();           // a frame has come
  // Waits until one of `sockets` has data, wake() was called, or the limit passed; -1: no limit.
  void wait(std::vector<pollfd>& sockets, int limit_ms);

 private:
  [[nodiscard]] bool spins() const;

  FileDescriptor wake_;
  std::atomic<FrameWait> how_{FrameWait::sleep};
  std::int64_t frame_ns_ = 0;  // arrival of the newest frame
};

// Messages about a connection, for the window or the terminal: at most one per second and kind, the newest, with the
// number of similar ones. Any thread.
class LiveNotes {
 public:
  // `about`: among lines with the same one the first is kept, and the newest a second later.
  void add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns);
  std::vector<LiveNote> take(std::int64_t now_ns);

 private:
  static constexpr std::int64_t kApart_ns = 1'000'000'000;
  static constexpr std::size_t kMost = 100;  // waiting ones

  struct Last {
    std::int64_t at_ns = 0;
    std::uint64_t held_back = 0;  // since the last message
    LiveNote newest;              // newest of these
  };
  void keep(Last& last, LiveNote note, std::uint64_t more, std::int64_t now_ns);

  std::mutex mutex_;
  std::map<std::string, Last> last_;  // under mutex_
  std::vector<LiveNote> waiting_;     // under mutex_
};

}  // namespace echoloop
