// A file that frames are appended to while a stream runs, in one of several formats (file_sinks.h). A Recorder writes
// it, on its own thread. While it grows it is FILE.partial; one that a killed program has left can be read up to the
// last flush().
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/frame.h"

namespace echoloop {

class FrameFile {
 public:
  virtual ~FrameFile() = default;  // without finish(): the partial file stays as it is

  // Throws std::runtime_error, whose what() is the reason alone, when the disk is full or fails. After a full disk
  // finish() still ends the file.
  virtual void append(const RfFrame& frame) = 0;
  virtual void count_not_recorded(std::uint64_t /*frames*/) {}  // so many in all; goes into the file, if it can hold it
  virtual void flush() = 0;  // what was appended is there even if the program is killed now; throws as append()
  // Ends the file and gives it its name, or the next free one like it; removes it when it holds no frame. When that is
  // not possible it throws as append(), and the partial file stays as if the program had been killed.
  virtual void finish() = 0;

  [[nodiscard]] virtual std::uint64_t frames() const = 0;
  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;  // the final name, once finished
};

}  // namespace echoloop
