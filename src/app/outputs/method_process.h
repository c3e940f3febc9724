// A program connected to the viewer, whose function is the method of image formation, or offered as such.
#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/outputs/tap_reader.h"
#include "backend/own_process.h"
#include "core/own_method.h"
#include "source/live/live_listener.h"
#include "source/live/live_protocol.h"
#include "transport/message_stream.h"

namespace echoloop {

// Frames of a method, and times of the newest ones in ms.
struct MethodTimes {
  std::uint64_t answered = 0;
  std::uint64_t late = 0;    // without an answer in time
  std::uint64_t failed = 0;  // with an exception or a wrong result
  double p50_ms = 0.0, p95_ms = 0.0, p99_ms = 0.0;
  double function_p50_ms = 0.0;  // of these, in the function
};

// The method in use, as it is now.
struct UsedMethod {
  std::shared_ptr<const OwnMethod> method;  // as defined last
  std::string program, input;
  bool connected = false;
  MethodTimes times;
  std::string problem;  // of the newest frame without an answer: one line; empty: none
  std::string place;    // FILE:LINE of the function
};

// A function as its program defines it.
struct MethodDefinition {
  OwnMethod method;
  OwnInput input = OwnInput::iq;
  bool on_device = false;  // computes in the memory of a GPU
  std::string place;
};
inline constexpr std::uint64_t kMostDefinition = std::uint64_t{256} << 10;  // bytes
// Reads the text of a definition. Throws BadMessage.
[[nodiscard]] MethodDefinition read_definition(const std::string& text);

// Frames of a method, and why some have none of its pixels.
class MethodLog {
 public:
  void note(double total_s, double function_s) {
    const auto at = static_cast<std::size_t>(counts_.answered++ % kNewest);
    total_ms_.at(at) = 1e3 * total_s;
    function_ms_.at(at) = function_s > 0.0 ? 1e3 * std::min(function_s, total_s) : 0.0;  // as the program says
  }
  enum class Missing { late, failed };
  bool miss(Missing how, std::string why) {  // returns false
    ++(how == Missing::late ? counts_.late : counts_.failed);
    say(std::move(why));
    return false;
  }
  // An answer that has been noted was not used.
  void take_back(std::string why) {
    --counts_.answered;
    ++counts_.failed;
    say(std::move(why));
  }
  void say(std::string why) { problem_ = std::move(why); }
  [[nodiscard]] bool has_problem() const { return !problem_.empty(); }
  [[nodiscard]] const MethodTimes& counts() const { return counts_; }
  void describe(UsedMethod& used) const;

 private:
  static constexpr std::size_t kNewest = 1024;
  MethodTimes counts_;
  std::array<double, kNewest> total_ms_{}, function_ms_{};  // of the newest answers, in a ring
  std::string problem_;
};

class MethodProcess;

// A function as its program has defined it: what parameters and plans of frames hold. A later definition may have
// another input.
class DefinedMethod final : public OwnProcess {
 public:
  // number: of the definition, counted from 1.
  DefinedMethod(std::shared_ptr<MethodProcess> of, std::uint32_t number, const MethodDefinition& definition)
      : number(number),
        of_(std::move(of)),
        input_(definition.input),
        on_device_(definition.on_device),
        labels_(definition.method.labels) {}
  [[nodiscard]] OwnInput input() const override { return input_; }
  [[nodiscard]] bool on_device() const override { return on_device_; }
  [[nodiscard]] std::span<const std::string> labels() const override { return labels_; }
  OwnAsk hand(const OwnRequest& request, const Fill& fill, SharedDeviceMemory* memory) override;
  std::optional<OwnResult> take(const OwnAsk& ask, const Interrupted& interrupted, OwnAnswer& answer) override;
  void drop(const OwnAsk& ask) override;
  void refuse(unsigned values) override;

  const std::uint32_t number;

 private:
  const std::shared_ptr<MethodProcess> of_;
  const OwnInput input_;
  const bool on_device_;
  const std::vector<std::string> labels_;
};

// A connected program. Messages are received by the server thread, or by one that waits for an answer.
class MethodProcess final : public std::enable_shared_from_this<MethodProcess> {
 public:
  MethodProcess(LivePeer peer, std::uint64_t id);

  enum class State { connected, offered, used, over };
  using NameCheck = std::function<void(const std::string& name)>;  // throws BadMessage for a name that is taken

  // See OwnProcess. Any thread.
  OwnAsk hand(const DefinedMethod& of, const OwnRequest& request, const OwnProcess::Fill& fill,
              SharedDeviceMemory* memory);
  std::optional<OwnResult> take(const DefinedMethod& of, const OwnAsk& ask, const OwnProcess::Interrupted& interrupted,
                                OwnAnswer& answer);
  void drop(const OwnAsk& ask);
  void take_back(unsigned values);

  // Server thread.
  void receive(const NameCheck& check);
  void refuse(std::uint32_t reason, const std::string& line);
  [[nodiscard]] pollfd socket() const;

  // Any thread.
  [[nodiscard]] State state() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] OwnInput input() const;  // of the newest definition
  void use();
  void end(const std::string& line);
  [[nodiscard]] UsedMethod describe();

  const std::uint64_t id;
  const std::string program;

 private:
  using Clock = std::chrono::steady_clock;
  // Blocks of the two directions, for one array on the host.
  struct Memory {
    SealedMemory in;
    FileDescriptor out_file;
    std::shared_ptr<SharedMemory> out;
    std::size_t in_bytes = 0, out_bytes = 0;
  };
  struct Answer {
    bool there = false;
    OwnResult item = OwnResult::amplitudes;
    std::uint64_t values = 0;
    double total_s = 0.0, function_s = 0.0;
    std::array<std::byte, 64> event{};  // of a device: its name for CUDA IPC
    std::string failure;                // empty: the values
  };
  enum class Wanted { yes, late, no };
  // An array that was handed over, until its answer is taken.
  struct Asked {
    std::uint64_t number = 0;
    bool on_device = false;
    std::optional<std::size_t> block = {};  // of memory_
    std::size_t values = 0;
    struct {
      bool begin = true, end = true;
    } rows;  // of the frame
    double limit_s = 0.0;
    Clock::time_point handed;
    Wanted wanted = Wanted::yes;
    Answer answer;
  };
  struct Course {
    std::list<Asked> asked;                  // in their order
    std::uint64_t number = 0;                // of the last array
    Clock::time_point answered;              // the last answer
    double total_s = 0.0, function_s = 0.0;  // of the rows of a frame so far
  };

  void close();
  void take_messages(const NameCheck& check);
  void take(const StreamMessage& message, const NameCheck& check);
  void take_answer(std::uint32_t kind, PayloadReader& in);
  void define(const StreamMessage& message, const NameCheck& check);
  bool send(std::uint32_t kind, const std::vector<std::byte>& payload, int file = -1);
  [[nodiscard]] std::optional<std::size_t> make_room(std::size_t in_bytes, std::size_t out_bytes);
  void tell_of(const SharedDeviceMemory::Names& names);
  void send_facts(OwnInput input, const OwnRequest& request);
  bool send_frame(const DefinedMethod& of, const OwnRequest& request, const FrameWord& place, const Asked& asked);
  [[nodiscard]] bool read_answer(const DefinedMethod& of, const Asked& asked, OwnAnswer& to);
  [[nodiscard]] bool read_labels(const DefinedMethod& of, const Asked& asked, OwnAnswer& to);
  std::shared_ptr<const OwnMethod> give_method();
  [[nodiscard]] bool may_ask();
  [[nodiscard]] bool wait_for(std::unique_lock<std::mutex>& lock, const Asked& asked,
                              const OwnProcess::Interrupted& interrupted);
  [[nodiscard]] bool has_values(const DefinedMethod& of, const Asked& asked);
  [[nodiscard]] bool is_taken(const DefinedMethod& of, const Asked& asked, SharedDeviceMemory* memory, OwnAnswer& to);
  void note(const Asked& asked);
  bool miss(MethodLog::Missing how, std::string why) { return log_.miss(how, std::move(why)); }

  std::mutex turn_;      // of hand()
  SocketWait answered_;  // ends when the server thread has taken messages
  mutable std::mutex mutex_;
  // Under mutex_:
  MessageStream stream_;
  State state_ = State::connected;
  bool greeted_ = false;
  std::optional<MethodDefinition> newest_;
  std::weak_ptr<const OwnMethod> given_;  // the newest one, for parameters; expired: in none
  std::uint32_t defined_ = 0;
  std::string ended_;  // why no more answers come
  Course course_;
  std::deque<Memory> memory_;  // of arrays that are handed over at the same time
  struct Facts : TapFacts {
    OwnInput input = OwnInput::iq;
  } facts_;
  std::deque<std::uint64_t> told_;  // memory of a device that the program has open, the oldest first
  MethodLog log_;
};

}  // namespace echoloop
