// The reader process as its parent holds it: started, spoken to, waited for no longer than it deserves, and gone with
// this object - never a zombie, never an orphan at work. Internal to src/formats.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "formats/file_descriptor.h"
#include "formats/reader.h"
#include "formats/reader_protocol.h"

namespace echoloop {

// Memory that both processes map, of fixed size: whoever shortened it could crash the other.
class SharedMemory {
 public:
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  // Takes memory for these whole pages and maps them at once, not page by page as they are read.
  void make_resident(std::size_t offset, std::size_t size) const;
  void forget(std::size_t offset, std::size_t size) const;  // whole pages: what is there is lost, its memory free

 private:
  friend class ReaderChild;
  SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  std::byte* data_;
  std::size_t size_;
};

class ReaderChild {
 public:
  explicit ReaderChild(const OpenRequest& request);  // starts it on request.file. Throws Error
  ~ReaderChild();                                    // kills it
  ReaderChild(const ReaderChild&) = delete;
  ReaderChild& operator=(const ReaderChild&) = delete;

  // Gives the shared memory its size, for good. Once, before the first command. Throws Error.
  std::shared_ptr<SharedMemory> share(std::size_t size);

  bool send(MessageKind kind, std::span<const std::byte> payload = {});
  // The next message. `waiting` is called now and then and may throw. Throws Error, and the process is gone, when it
  // died, says nothing until `deadline` though it had its turn, or says nonsense.
  ReaderMessage receive(std::chrono::steady_clock::time_point deadline, const std::function<void()>& waiting = {});

  // Kills it; the Error that says that it `did` something it must not.
  [[nodiscard]] Error give_up(const std::string& did);

 private:
  void spawn(const OpenRequest& request);
  std::string end();  // kills and collects it; how it ended

  std::string what_;
  FileDescriptor socket_;
  MessageChannel channel_;
  FileDescriptor memory_;
  pid_t pid_ = -1;
};

}  // namespace echoloop
