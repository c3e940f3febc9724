// The socket that senders connect to, and who may. On this machine: a socket in a folder that only this user can enter;
// the system says who connects. On the network: TCP, with a word that the sender has to know.
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

// Where the viewer waits for a sender: "live:" and "live:NAME" on this machine, "live:tcp:HOST:PORT[,token=FILE]" on
// the network. Pure, but for the folder that the environment names.

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

// Pauses after wrong tokens: while the one of an address lasts, no token that comes from it is compared. The pause
// doubles with each wrong token, so that a token cannot be found by trying. Pure: each call gets the time. Not
// thread-safe.

class LivePauses {
 public:
  static constexpr std::int64_t kFirst_ns = 100'000'000, kLongest_ns = 10'000'000'000;
  static constexpr std::int64_t kForgotten_ns = 60'000'000'000;  // after the end of a pause
  static constexpr std::size_t kMost = 64;  // addresses; beyond, the one whose pause ends first is forgotten

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

// One program that has connected to a live server: its messages, and those sent to it. The first whose HELLO
// is accepted is the sender until it is gone.

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

// Whose turn it is to read the sockets of a live source: the server thread's, or the producer thread's while that waits
// for a frame. A frame then wakes one thread in place of two, and waking is most of what a frame costs. The server
// thread takes over when the producer has not come for a while: it is paused, blocked by the policy, or there is none.

enum class NextTurn { any, server };  // server: something waits for that thread

class LiveTurn {
 public:
  static constexpr std::chrono::milliseconds kAway{20};  // so long without the producer: it does not come

  // `wake` ends the server thread's wait at the sockets; any thread.
  explicit LiveTurn(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Server thread. False once `stop` is requested.
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
  bool asleep_ = false;  // the server thread waits without a limit: the producer has not left for kAway
  std::uint64_t visits_ = 0, seen_ = 0;
};

// The wait at the sockets of a live source: asleep, or, for a while after each frame, without a pause, because waking a
// thread that sleeps takes 15 us and more.

class SocketWait {
 public:
  static constexpr std::int64_t kSpin_ns = 100'000'000;  // after a frame; then the thread sleeps

  SocketWait();
  void wake() const;            // ends the wait, or the next one; any thread
  void set_how(FrameWait how);  // any thread
  void count_frame();           // when one has come
  // Until one of `sockets` has something, or wake() was called, or so long; -1: no limit.
  void wait(std::vector<pollfd>& sockets, int limit_ms);

 private:
  [[nodiscard]] bool spins() const;

  FileDescriptor wake_;
  std::atomic<FrameWait> how_{FrameWait::sleep};
  std::int64_t frame_ns_ = 0;  // when the newest frame came
};

// Lines about a connection, for the window or the terminal: of one kind at most one a second, the newest, with the
// number of those that were like it. Any thread.

class LiveNotes {
 public:
  // `about`: of lines with the same one the first is kept, and the newest a second later.
  void add(LiveNote::Kind kind, const std::string& about, std::string text, std::int64_t now_ns);
  std::vector<LiveNote> take(std::int64_t now_ns);

 private:
  static constexpr std::int64_t kApart_ns = 1'000'000'000;
  static constexpr std::size_t kMost = 100;  // that wait to be taken

  struct Last {
    std::int64_t at_ns = 0;
    std::uint64_t held_back = 0;  // since
    LiveNote newest;              // of these
  };
  void keep(Last& last, LiveNote note, std::uint64_t more, std::int64_t now_ns);

  std::mutex mutex_;
  std::map<std::string, Last> last_;  // under mutex_
  std::vector<LiveNote> waiting_;     // under mutex_
};

}  // namespace echoloop
