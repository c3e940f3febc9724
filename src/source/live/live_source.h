// Scanner as a source: frames that its sender writes into memory of the viewer, or sends over TCP. The source continues
// without a sender and waits for the next one; it ends only with the program.
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
#include <string_view>
#include <thread>
#include <vector>

#include "core/stream_settings.h"
#include "source/live/live_intake.h"
#include "source/live/live_listener.h"
#include "source/source.h"

namespace echoloop {

// Thread that waits for senders at one address and reads the connected one (senders/README.md). Does all input and
// output of the sockets, in turns with the producer thread (LiveTurn); frames go to a LiveIntake. No input ends the
// thread: a fault is one line, counted, and at worst the end of that connection.
class LiveServer {
 public:
  // Listens at the address. Throws Error.
  explicit LiveServer(const LiveAddress& address, PlanBytes plan_bytes = {});
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
  using Connection = LiveConnection;
  class Ended : public std::runtime_error {  // reason of a connection's end, for the note
   public:
    using std::runtime_error::runtime_error;
  };

  // Reading a description can take seconds; the producer must not, as it may be stopped.
  enum class ServedBy { server, producer };

  void stop_serving();
  void run(const std::stop_token& stop);
  void serve_for_producer(const std::stop_token& stop, const std::function<bool()>& done);
  void serve_all(ServedBy by);
  void wait();
  void accept_some();
  void serve(Connection& connection, ServedBy by);
  void handle(Connection& connection, const StreamMessage& message);
  void greet(Connection& connection, std::span<const std::byte> payload);
  void describe(Connection& connection, std::span<const std::byte> payload);
  void refuse_description(Connection& connection, std::uint32_t generation, const std::string& line);
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
  void end_invalid(Connection& connection, const std::string& why);
  void end(Connection& connection, const std::string& why);
  void set_link(LiveLink link);  // from now on; mutex_ is held
  [[nodiscard]] int timeout_ms() const;

  LiveListener listener_;
  std::size_t memory_size_;
  FileDescriptor memory_;  // memfd, sealed
  const PlanBytes plan_bytes_;
  LiveIntake intake_;
  SocketWait wait_;
  LiveNotes notes_;
  std::stop_source stop_describing_;
  LiveTurn turn_;
  // Accessed by the thread whose turn it is:
  std::vector<std::unique_ptr<Connection>> connections_;
  Connection* sender_ = nullptr;  // one of them, or null
  bool more_to_do_ = false;       // the next round does not wait
  bool knocked_ = false;          // a connection waits at the listener
  bool frames_came_ = false;      // not announced yet
  std::vector<pollfd> sockets_;
  std::atomic<bool> accepting_{true};
  mutable std::mutex mutex_;
  LiveStatus status_;                                 // the part known here; under mutex_
  std::string end_reason_ = "the viewer was closed";  // under mutex_
  std::jthread thread_;
};

// Sockets of an address, opened before there is a source: a sender must first describe its frames to give an
// acquisition. Copies share the sockets.
class LiveWaiting {
 public:
  // `plan_bytes`: see live_protocol.h. Throws Error if the address cannot be used.
  explicit LiveWaiting(std::string_view address, std::function<std::size_t(const Acquisition&)> plan_bytes = {})
      : server_(std::make_shared<LiveServer>(parse_live_address(address), std::move(plan_bytes))) {}

  [[nodiscard]] LiveStatus status() const { return server_->status(); }               // any thread
  std::vector<LiveNote> take_notes() const { return server_->take_notes(); }          // any thread
  void set_policy(RingPolicy policy) const { server_->intake().set_policy(policy); }  // sent to the sender; any thread
  // Returns the source once a sender has described its frames. Throws Error if `stop` is requested before.
  [[nodiscard]] std::shared_ptr<Source> open(const std::stop_token& stop) const;

 private:
  std::shared_ptr<LiveServer> server_;
};

class LiveSource final : public Source {
 public:
  explicit LiveSource(std::shared_ptr<LiveServer> server) : server_(std::move(server)), intake_(server_->intake()) {}

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return intake_.acquisition(); }
  [[nodiscard]] std::string name() const override {
    const std::string described = intake_.name();
    return described.empty() ? server_->status().sender : described;
  }
  std::optional<Arrival> next(const std::stop_token& stop) override { return intake_.next(stop); }
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& /*stop*/) override {
    return intake_.fetch(slot);
  }
  void resume(std::uint64_t /*sequence*/) override { intake_.resume(); }
  void refused(const std::string& line) override { intake_.refused(line); }
  void set_policy(RingPolicy policy) override { intake_.set_policy(policy); }
  void set_frame_wait(FrameWait wait) override { server_->set_frame_wait(wait); }
  void set_taking(Taking taking) override { intake_.set_taking(taking); }
  [[nodiscard]] std::optional<double> device_hz() const override { return intake_.device_hz(); }
  [[nodiscard]] bool sets_the_pace() const override { return true; }
  FrameMemory allocate(std::size_t bytes) override { return intake_.allocate(bytes); }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override {
    intake_.make_blocks(allocate);
  }
  [[nodiscard]] LiveSource* live() override { return this; }
  [[nodiscard]] bool described_again() const override { return intake_.described_again(); }
  [[nodiscard]] bool sender_gone() const override { return intake_.is_alone(); }
  void follow_description() override { static_cast<void>(intake_.wait_for_scan({})); }

  [[nodiscard]] LiveStatus status() const { return server_->status(); }  // any thread
  void note_invalid(const SampleFaultCount& invalid) override { intake_.note_invalid(invalid); }
  std::vector<LiveNote> take_notes() { return server_->take_notes(); }            // any thread
  void set_admission(Admission admission) { server_->set_admission(admission); }  // any thread
  // Sets the reason that the sender gets when the source ends. [any thread]
  void set_end_reason(std::string why) { server_->set_end_reason(std::move(why)); }
  // Sends the reason now; no further frame, no waiting thread.
  void end_service(std::string why) { server_->end_service(std::move(why)); }

 private:
  std::shared_ptr<LiveServer> server_;
  LiveIntake& intake_;
};

inline std::shared_ptr<Source> LiveWaiting::open(const std::stop_token& stop) const {
  static_cast<void>(server_->intake().wait_for_scan(stop));
  return std::make_shared<LiveSource>(server_);
}

}  // namespace echoloop
