#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"
#include "source/live/live_protocol.h"
#include "source/live/live_source.h"
#include "transport/message_stream.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostConnections = 16;
constexpr std::size_t kMostAccepted = 4;  // at once: each is read before others replace it
constexpr std::int64_t kBetweenPings_ns = 1'000'000'000;
constexpr std::int64_t kBetweenStates_ns = 100'000'000;
constexpr std::uint64_t kMostFaults = 10'000;  // in a row: no fault of the line
constexpr int kMessagesAtOnce = 64;            // per connection, before others get their turn

}  // namespace

LiveServer::LiveServer(const LiveAddress& address, PlanBytes plan_bytes)
    : listener_(address),
      memory_size_(live_memory_bytes()),
      memory_(make_live_memory(address.text, memory_size_)),
      plan_bytes_(std::move(plan_bytes)),
      intake_(make_live_arena(address.text, memory_, memory_size_)),
      turn_([this] { wait_.wake(); }) {
  const LiveAddress& in_use = listener_.address();
  status_.address = in_use.text;
  status_.reach = in_use.is_local()      ? "Only programs of the same user on this machine can connect."
                  : in_use.is_loopback() ? "Only programs on this machine can connect."
                                         : "Reachable from other machines on this network, with a token.";
  set_link(LiveLink::waiting);
  intake_.set_server([this] { wait_.wake(); },
                     [this](const std::stop_token& stop, const auto& done) { serve_for_producer(stop, done); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

LiveServer::~LiveServer() { stop_serving(); }

void LiveServer::stop_serving() {
  thread_.request_stop();
  stop_describing_.request_stop();
  wait_.wake();
  turn_.stop_server();
}

void LiveServer::set_admission(Admission admission) {
  accepting_ = admission == Admission::open;
  wait_.wake();
}

void LiveServer::set_frame_wait(FrameWait wait) { wait_.set_how(wait); }

void LiveServer::set_end_reason(std::string why) {
  const std::scoped_lock lock(mutex_);
  end_reason_ = std::move(why);
}

void LiveServer::end_service(std::string why) {
  set_end_reason(std::move(why));
  stop_serving();
  thread_.join();
}

std::vector<LiveNote> LiveServer::take_notes() { return notes_.take(now_ns()); }

LiveStatus LiveServer::status() const {
  LiveStatus status = intake_.status();
  const std::scoped_lock lock(mutex_);
  status.link = status_.link;
  status.address = status_.address;
  status.reach = status_.reach;
  status.sender = status_.sender;
  status.pid = status_.pid;
  status.transport = status_.transport;
  status.clock = status_.clock;
  status.clock_offset_ns = status_.clock_offset_ns;
  status.clock_within_ns = status_.clock_within_ns;
  status.accepting = accepting_;
  status.last_refusal = status_.last_refusal;
  status.since_ns = status_.since_ns;
  status.faults = status_.faults;
  return status;
}

void LiveServer::set_link(LiveLink link) {
  status_.link = link;
  status_.since_ns = now_ns();
}

void LiveServer::run(const std::stop_token& stop) {
  while (turn_.begin_server(stop)) {
    serve_all(ServedBy::server);
    turn_.end_server();
  }
  const std::string stopped = intake_.for_sender().stopped;
  const std::scoped_lock lock(mutex_);
  for (const std::unique_ptr<Connection>& connection : connections_) {
    if (connection.get() == sender_ && !stopped.empty() && connection->sent.stopped != stopped)
      connection->stream.send(static_cast<std::uint32_t>(LiveKind::stopped), payload_of(stopped));
    connection->stream.send(static_cast<std::uint32_t>(LiveKind::bye), payload_of(end_reason_));
  }
}

void LiveServer::serve_for_producer(const std::stop_token& stop, const std::function<bool()>& done) {
  const std::stop_callback wakes(stop, [this] { wait_.wake(); });
  turn_.begin_producer();
  const auto waits_for_server = [this] {
    return std::ranges::any_of(connections_, [](const auto& one) { return one->description.has_value(); });
  };
  more_to_do_ = more_to_do_ || intake_.owes_credits();
  while (!stop.stop_requested() && !waits_for_server() && !done()) serve_all(ServedBy::producer);
  turn_.end_producer(waits_for_server() ? NextTurn::server : NextTurn::any);
}

// Waits once at the sockets and handles received data.
void LiveServer::serve_all(ServedBy by) {
  wait();
  for (const std::unique_ptr<Connection>& connection : connections_) {
    try {
      serve(*connection, by);
    } catch (const Ended& why) {
      end(*connection, why.what());
    } catch (const BadMessage& bad) {
      end_invalid(*connection, std::string("invalid message: ") + bad.what());
    } catch (const std::exception& error) {
      end(*connection, "was disconnected (" + line_of(error, "a message") + ")");
    }
  }
  if (std::exchange(frames_came_, false)) intake_.announce();
  std::erase_if(connections_, [](const auto& connection) { return connection->over; });
  // Accepts for the next round: a sender that reconnects at once is not refused as busy, because the end of its earlier
  // connection, after the last frames, is read before its HELLO.
  if (knocked_) accept_some();
}

// Waits until a socket has data, the wait is ended, or a timeout.
void LiveServer::wait() {
  sockets_ = {{.fd = listener_.descriptor(), .events = POLLIN, .revents = 0}};
  for (const std::unique_ptr<Connection>& connection : connections_) {
    const auto events = static_cast<short>(POLLIN | (connection->stream.wants_to_send() ? POLLOUT : 0));
    sockets_.push_back({.fd = connection->stream.descriptor(), .events = events, .revents = 0});
  }
  wait_.wait(sockets_, more_to_do_ ? 0 : timeout_ms());
  more_to_do_ = false;
  knocked_ = sockets_[0].revents != 0;
}

// Returns no limit for connections that are quiet and complete.
int LiveServer::timeout_ms() const {
  constexpr int kLook_ms = 100;
  const bool waits = std::ranges::any_of(connections_, [](const auto& connection) {
    return !connection->greeted || connection->sent.counts_differ || connection->stream.in_the_middle() ||
           connection->pings();
  });
  return waits ? kLook_ms : -1;
}

void LiveServer::accept_some() {
  for (std::size_t n = 0; n < kMostAccepted; ++n) {
    std::optional<LivePeer> peer = listener_.accept();
    if (!peer.has_value()) break;
    if (peer->refused.empty()) {
      if (connections_.size() == kMostConnections) {
        const auto goes = connections_.begin() + static_cast<std::ptrdiff_t>(first_to_go(connections_, peer->place));
        end(**goes, "sent no HELLO and made room for " + peer->place);
        connections_.erase(goes);
      }
      connections_.push_back(std::make_unique<Connection>(std::move(*peer), now_ns()));
    } else {
      notes_.add(LiveNote::Kind::warning, "refused connections", "Connection refused: " + peer->refused, now_ns());
    }
  }
}

void LiveServer::serve(Connection& connection, ServedBy by) {
  MessageStream& stream = connection.stream;
  if (by == ServedBy::server && connection.description.has_value())
    handle(connection, *std::exchange(connection.description, std::nullopt));
  for (int n = 0; n < kMessagesAtOnce && !connection.over; ++n) {
    if (connection.incoming.has_begun()) {
      if (!stream.take_samples()) {
        more_to_do_ = more_to_do_ || stream.made_progress();
        break;
      }
      connection.incoming.skipped = false;
      if (connection.incoming.word.has_value()) {
        finish_frame(connection, *std::exchange(connection.incoming.word, std::nullopt),
                     std::move(*std::exchange(connection.incoming.memory, std::nullopt)));
      }
      continue;
    }
    const std::optional<StreamMessage> message = stream.receive();
    if (!message.has_value()) break;
    if (by == ServedBy::producer && message->kind == static_cast<std::uint32_t>(LiveKind::describe)) {
      connection.description = message;
      more_to_do_ = true;
      return;
    }
    handle(connection, *message);
    more_to_do_ = more_to_do_ || n + 1 == kMessagesAtOnce;
  }
  if (stream.closed()) throw Ended("closed the connection");
  if (&connection == sender_ && !accepting_) {
    send(connection, LiveKind::bye, payload_of(std::string("disconnected by the viewer's user")));
    throw Ended("was disconnected by the user");
  }
  look_at_time(connection);
  if (!stream.flush()) throw Ended("closed the connection");
  if (&connection == sender_) tell(connection);
}

void LiveServer::handle(Connection& connection, const StreamMessage& message) {
  const auto kind = static_cast<LiveKind>(message.kind);
  const std::span<const std::byte> payload = message.payload;
  if ((message.kind & kMayBeSkipped) != 0) return;
  switch (kind) {
    case LiveKind::hello:
      return greet(connection, payload);
    case LiveKind::describe:
      return describe(connection, payload);
    case LiveKind::frames:
      return take_frames(connection, message);
    case LiveKind::ping:
      return answer_ping(connection, payload);
    case LiveKind::pong:
      return take_pong(connection, payload);
    case LiveKind::bye:
      throw Ended("ended (" + plain_text(decode_text(payload)) + ")");
    default:
      throw BadMessage("kind " + std::to_string(message.kind));
  }
}

void LiveServer::greet(Connection& connection, std::span<const std::byte> payload) {
  if (connection.greeted) throw BadMessage("a second HELLO");
  LiveHello& hello = connection.hello;
  hello = decode_hello(payload);
  if (const std::string line = version_refusal(hello); !line.empty()) refuse(connection, LiveRefusal::version, line);
  hello.name = plain_text(hello.name);
  if (const LiveListener::Refusal refusal = listener_.refusal(connection.peer, hello.token, now_ns());
      !refusal.line.empty())
    refuse(connection, refusal.passes ? LiveRefusal::busy : LiveRefusal::token, refusal.line);
  if (!accepting_) refuse(connection, LiveRefusal::busy, "busy: the viewer accepts no sender at the moment");
  if (sender_ != nullptr) {
    refuse(connection, LiveRefusal::busy,
           "busy: the sender " + sender_->hello.name + ", " + sender_->peer.place + ", is connected");
  }
  if (!listener_.address().is_local()) hello.transport = LiveTransport::inlined;
  connection.stream.set_limits(
      [transport = hello.transport](std::uint32_t kind) { return live_limits(kind, transport); });
  connection.greeted = true;
  sender_ = &connection;
  const LiveIntake::ForSender now = intake_.for_sender();
  connection.sent.state.policy = static_cast<std::uint32_t>(now.policy);
  const std::string name = hello.name.empty() ? connection.peer.place : hello.name;
  intake_.sender_came(hello.transport, name);
  {
    const std::scoped_lock lock(mutex_);
    set_link(LiveLink::connected);
    status_.sender = name;
    status_.pid = connection.peer.pid;
    status_.transport = hello.transport == LiveTransport::shared ? "shared memory"
                        : listener_.address().is_local()         ? "local socket"
                                                                 : "TCP";
    status_.last_refusal.clear();
    status_.clock_offset_ns = status_.clock_within_ns = 0;
  }
  send(connection, LiveKind::welcome,
       encode(LiveWelcome{.transport = hello.transport,
                          .policy = connection.sent.state.policy,
                          .largest_frame = largest_live_frame(memory_size_),
                          .version = "Echoloop"}));
  notes_.add(LiveNote::Kind::info, "connections",
             status().sender + " (" + connection.peer.place + ") connected at " + status().address, now_ns());
}

void LiveServer::describe(Connection& connection, std::span<const std::byte> payload) {
  const LiveDescribe asked = decode_describe(payload);
  if (connection.described && asked.generation <= connection.generation) {
    throw BadMessage("DESCRIBE with generation " + std::to_string(asked.generation) + " after " +
                     std::to_string(connection.generation));
  }
  try {
    auto scan = std::make_shared<LiveScan>();
    scan->text = std::make_shared<const std::string>(readable_description(asked.json));
    scan->clock = connection.hello.clock;
    const LiveScanPtr before = intake_.scan();
    if (before != nullptr && same_scan(*before, *scan)) {
      scan = before;
    } else {
      scan->description =
          describe_live("description", asked.json, connection.peer.is_here ? LikeFiles::allowed : LikeFiles::refused,
                        stop_describing_.get_token());
    }
    const std::size_t bytes = scan->description.layout->frame_bytes();
    if (scan != before) require_live_memory(*scan, before.get(), {memory_size_, plan_bytes_});
    intake_.describe(scan, asked.generation);
    connection.described = true;
    connection.generation = asked.generation;
    const bool sends_memory = connection.hello.transport == LiveTransport::shared && !connection.sent.memory;
    send(connection, LiveKind::accepted,
         encode(LiveAccepted{.generation = asked.generation,
                             .blocks = static_cast<std::uint32_t>(LiveBlocks::count_for(bytes)),
                             .frame_bytes = bytes,
                             .memory_bytes = sends_memory ? memory_size_ : 0,
                             .assumed = assumed_text(scan->description)}),
         sends_memory ? memory_.get() : -1);
    connection.sent.memory = connection.sent.memory || sends_memory;
    if (scan != before && !scan->description.unused.empty()) {
      notes_.add(LiveNote::Kind::warning, "keys without effect",
                 "Description: keys without effect: " + scan->description.unused, now_ns());
    }
    const std::scoped_lock lock(mutex_);
    status_.clock = clock_text(*scan);
    status_.last_refusal.clear();
  } catch (const Error& error) {
    refuse_description(connection, asked.generation, error.what());
  } catch (const std::bad_alloc&) {
    refuse_description(connection, asked.generation, no_memory_for("description").what());
  }
}

void LiveServer::refuse_description(Connection& connection, std::uint32_t generation, const std::string& line) {
  send(connection, LiveKind::refused, payload_of(LiveRefusal::description, generation, line));
  {
    const std::scoped_lock lock(mutex_);
    status_.last_refusal = line;
  }
  notes_.add(LiveNote::Kind::refusal, "descriptions", "Description refused: " + line, now_ns());
}

void LiveServer::take_frames(Connection& connection, const StreamMessage& message) {
  if (!connection.described) throw BadMessage("FRAMES before an accepted DESCRIBE");
  const bool inlined = connection.hello.transport == LiveTransport::inlined;
  for (const FrameWord& word : decode_words(message.payload)) {
    if (inlined && message.size != sizeof(FrameWord) + word.bytes) {
      throw BadMessage("FRAMES of " + std::to_string(message.size) + " bytes with a frame of " +
                       std::to_string(word.bytes));
    }
    LiveIntake::Taken taken = intake_.take(word);
    if (!taken.fault.empty()) fault(connection, "frame " + std::to_string(word.sequence) + ": " + taken.fault);
    if (!inlined) {
      if (taken.memory.has_value()) finish_frame(connection, word, std::move(*taken.memory));
      continue;
    }
    connection.incoming.skipped = !taken.memory.has_value();
    if (connection.incoming.skipped) continue;
    connection.stream.samples_into(taken.memory->bytes);
    connection.incoming.word = word;
    connection.incoming.memory = std::move(taken.memory);
  }
}

void LiveServer::finish_frame(Connection& connection, const FrameWord& word, FrameMemory memory) {
  if (word.crc32c != 0 && crc32c(memory.bytes) != word.crc32c) {
    intake_.drop(std::move(memory));
    return fault(connection, "frame " + std::to_string(word.sequence) + ": checksum does not match its samples");
  }
  ++connection.frames;
  connection.faults = 0;
  intake_.put(word, std::move(memory), connection.clock.offset_ns);
  frames_came_ = true;
  wait_.count_frame();
}

void LiveServer::answer_ping(Connection& connection, std::span<const std::byte> payload) {
  LivePing ping = decode_ping(payload);
  ping.answered_ns = now_ns();
  send(connection, LiveKind::pong, payload_of(ping));
}

void LiveServer::take_pong(Connection& connection, std::span<const std::byte> payload) {
  const LivePing pong = decode_ping(payload);
  if (!connection.clock.take(pong, now_ns())) return;
  const std::scoped_lock lock(mutex_);
  status_.clock_offset_ns = connection.clock.offset_ns;
  status_.clock_within_ns = (connection.clock.round_trip_ns + 1) / 2;
}

// Sends changes of credits, policy and stop to the sender.
void LiveServer::tell(Connection& connection) {
  const LiveIntake::ForSender now = intake_.for_sender();
  tell_state(connection, now);
  if (now.stopped != connection.sent.stopped) {
    connection.sent.stopped = now.stopped;
    now.stopped.empty() ? send(connection, LiveKind::resume, {})
                        : send(connection, LiveKind::stopped, payload_of(now.stopped));
  }
  if (!connection.described) return;
  std::vector<LiveCredit> credits = intake_.credits();
  if (credits.empty()) return;
  if (connection.hello.transport == LiveTransport::inlined)
    for (LiveCredit& credit : credits) credit.offset = 0;
  send(connection, LiveKind::credits, std::as_bytes(std::span(credits)));
}

// Sends policy and pause at once, counts at most ten times per second.
void LiveServer::tell_state(Connection& connection, const LiveIntake::ForSender& now) {
  const LiveState state{.policy = static_cast<std::uint32_t>(now.policy),
                        .paused = now.paused ? 1U : 0U,
                        .received = now.received,
                        .duplicates = now.duplicates,
                        .lost = now.lost,
                        .missing = now.missing,
                        .stale = now.stale};
  auto& sent = connection.sent;
  sent.counts_differ = state != sent.state;
  const bool soon = state.policy == sent.state.policy && state.paused == sent.state.paused;
  const std::int64_t time_ns = now_ns();
  if (!sent.counts_differ || (soon && time_ns - sent.state_ns < kBetweenStates_ns)) return;
  sent.state = state;
  sent.state_ns = time_ns;
  sent.counts_differ = false;
  send(connection, LiveKind::state, payload_of(state));
}

void LiveServer::look_at_time(Connection& connection) {
  const std::int64_t now = now_ns();
  if (connection.is_overdue(now))
    throw Ended(connection.greeted ? "sent half a message, and nothing for 2 s" : "sent no HELLO within 2 s");
  if (!connection.pings() || now - connection.clock.pinged_ns < kBetweenPings_ns) return;
  connection.clock.pinged_ns = now;
  send(connection, LiveKind::ping, payload_of(LivePing{.number = 0, .asked_ns = now}));
}

void LiveServer::send(Connection& connection, LiveKind kind, std::span<const std::byte> payload, int descriptor) {
  if (connection.stream.send(static_cast<std::uint32_t>(kind), payload, descriptor)) return;
  throw Ended(connection.stream.closed() ? "closed the connection" : "does not read its messages");
}

void LiveServer::refuse(Connection& connection, LiveRefusal reason, const std::string& line) {
  connection.stream.send(static_cast<std::uint32_t>(LiveKind::refused), payload_of(reason, std::uint32_t{0}, line));
  notes_.add(LiveNote::Kind::warning, "refused connections",
             "Connection of " + connection.peer.place + " refused: " + line, now_ns());
  throw Ended("");
}

void LiveServer::fault(Connection& connection, const std::string& text) {
  const std::string name = connection.hello.name.empty() ? connection.peer.place : connection.hello.name;
  notes_.add(LiveNote::Kind::warning, "invalid messages of the sender", name + ": " + text, now_ns());
  const std::scoped_lock lock(mutex_);
  ++status_.faults;
  if (++connection.faults > kMostFaults) throw Ended("sent nothing but invalid frames");
}

// Ends a connection with invalid messages. Other connections are no fault of the sender.
void LiveServer::end_invalid(Connection& connection, const std::string& why) {
  const bool is_sender = &connection == sender_;
  const std::string& name = connection.hello.name.empty() ? connection.peer.place : connection.hello.name;
  notes_.add(LiveNote::Kind::warning, is_sender ? "invalid messages of the sender" : "refused connections",
             name + ": " + why, now_ns());
  if (is_sender) {
    const std::scoped_lock lock(mutex_);
    ++status_.faults;
  }
  connection.stream.send(static_cast<std::uint32_t>(LiveKind::refused),
                         payload_of(LiveRefusal::message, connection.generation, why));
  end(connection, is_sender ? "sent an invalid message and was disconnected" : "");
}

void LiveServer::end(Connection& connection, const std::string& why) {
  if (connection.over) return;
  connection.over = true;
  if (connection.incoming.memory.has_value()) intake_.drop(std::move(*connection.incoming.memory));
  if (&connection != sender_) {
    if (!why.empty()) {
      notes_.add(LiveNote::Kind::warning, "ended connections without a sender", connection.peer.place + " " + why,
                 now_ns());
    }
    return;
  }
  sender_ = nullptr;
  intake_.sender_gone();
  std::string name;
  {
    const std::scoped_lock lock(mutex_);
    set_link(LiveLink::gone);
    name = status_.sender;
  }
  notes_.add(LiveNote::Kind::info, "ended connections",
             name + " " + why + " after " + std::to_string(connection.frames) +
                 (connection.frames == 1 ? " frame" : " frames") + ". Waiting at " + listener_.address().text,
             now_ns());
}

}  // namespace echoloop
