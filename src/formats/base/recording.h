// Recording made from a file: the acquisition and its frames, lent one at a time.
// Made by open_recording.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"
#include "core/contents.h"
#include "core/error.h"
#include "core/frame.h"
#include "formats/base/library_recording.h"

namespace echoloop {

// Frames read on demand. [any thread]
class FrameStream {
 public:
  virtual ~FrameStream() = default;

  // Returns frame `index`, acquisition->frame_bytes() long: in memory with the stream's lifetime if frames are kept,
  // otherwise in `slot`. A `slot` from allocate() is exchanged for memory with the frame, without a copy; other memory,
  // or memory without an owner, is written to. Throws Error, within 20 ms if `stop` is requested during the wait.
  // Fastest in order.
  virtual std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop = {}) = 0;

  // Returns memory that receives frames without a copy; empty: none is left or supported.
  virtual FrameMemory allocate(std::size_t bytes) = 0;

  // Sets the memory for frames read ahead from now on, as returned by `allocate`: memory of allocate(), page-locked if
  // desired; other memory is ignored.
  virtual void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) = 0;
};

struct Recording {
  AcquisitionPtr acquisition;
  std::uint64_t frame_count = 0;
  std::string format;  // as text: "GPU short-course pickle", "MATLAB v5 (MUST)"
  ScannerRecord scanner = {};
  std::vector<RecordedTrack> tracks = {};  // all of the file, if it has several
  NamedSamples named = {};
  SourceContentsPtr contents;  // never null
  std::string name;            // file name without folders, plain_text() for a caption

  // Returns frame `index` < frame_count in the layout and type of the acquisition: in the mapped file if its layout is
  // the same, otherwise in memory converted once at opening. Valid during the recording's lifetime. Throws Error if a
  // mapped file was shortened. core/process_memory.h records pages lost during reading.
  std::function<std::span<const std::byte>(std::uint64_t index)> frame;
  // Reader of frames on demand. Replaces `frame` if they cannot be lent (too big for memory); otherwise set together
  // with it if frames are kept, and `frame` waits for one not yet read. Null: all frames are available through `frame`.
  std::shared_ptr<FrameStream> reader;
  std::span<const std::byte> memory;  // holds all frames, for a backend to page-lock; empty for a mapped file
  std::shared_ptr<const void> owner;  // keeps mapping or memory alive
};

// The recording was not read: the system has no sandbox, and reading without one was not allowed.
class NoSandbox : public Error {
 public:
  using Error::Error;
};

}  // namespace echoloop
