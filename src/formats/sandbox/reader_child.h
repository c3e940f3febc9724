// The reader process as its parent holds it: started, spoken to, waited for no longer than it deserves, and gone with
// this object - never a zombie, never an orphan at work. Internal to src/formats.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/error.h"
#include "formats/base/open_request.h"
#include "formats/sandbox/message_channel.h"
#include "transport/file_descriptor.h"
#include "transport/shared_memory.h"

namespace echoloop {

enum class ReaderTask { open, outline };

class ReaderChild {
 public:
  explicit ReaderChild(const OpenRequest& request,
                       ReaderTask task = ReaderTask::open);  // on request.file. Throws Error
  ~ReaderChild();                                            // kills it
  ReaderChild(const ReaderChild&) = delete;
  ReaderChild& operator=(const ReaderChild&) = delete;

  // Gives the shared memory its size, for good. Once, before the first command. Throws Error.
  std::shared_ptr<SharedMemory> share(std::size_t size);

  // How long one message may take. A stop, and the end of the program, are heard within 20 ms and 0.3 s: an Error.
  struct Patience {
    std::chrono::steady_clock::time_point deadline;
    std::stop_token stop;
  };
  // Does nothing when the process is gone: receive() says how it ended. Throws Error, and the process is gone, when the
  // process does not read until the deadline, or when sending was stopped.
  void send(MessageKind kind, std::span<const std::byte> payload, const Patience& patience);
  // The next message. Throws Error, and the process is gone, when the process died, says nothing until the deadline
  // though it had its turn, or says nonsense. When it was stopped between two messages, the process goes on.
  ReaderMessage receive(const Patience& patience);

  // Kills it; the Error that says that it `did` something it must not.
  [[nodiscard]] Error give_up(const std::string& did);

 private:
  void spawn(const OpenRequest& request, ReaderTask task);
  std::function<void()> watch(const Patience& patience, const char* did);
  std::optional<int> end();  // kills and collects it

  std::string what_;
  FileDescriptor socket_;
  MessageChannel channel_;
  FileDescriptor memory_;
  pid_t pid_ = -1;
  std::string ended_for_;  // the reason, for messages about later frames
};

}  // namespace echoloop
