// What a reader makes of a file: the acquisition and its frames, ready to be lent frame by frame.
// open_recording.h makes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/frame.h"
#include "formats/base/library_recording.h"

namespace echoloop {

// Frames that are read when they are wanted. [any thread]
class FrameStream {
 public:
  virtual ~FrameStream() = default;

  // Frame `index`, acquisition->frame_bytes() long: where it is kept as long as the stream, when frames are; otherwise
  // in `slot`. Memory of allocate() is not written but exchanged for memory that holds the frame, so that nothing is
  // copied; other memory, or without an owner, is written into. Throws Error, within 20 ms when `stop` is requested
  // while the frame is waited for. Fastest in order.
  virtual std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop = {}) = 0;

  // Memory that frames get into without a copy; empty: there is none (any more).
  virtual FrameMemory allocate(std::size_t bytes) = 0;

  // From now on frames are read ahead into memory that `allocate` gives: that of allocate(), page-locked perhaps, or
  // nothing changes.
  virtual void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) = 0;
};

struct Recording {
  AcquisitionPtr acquisition;
  std::uint64_t frame_count = 0;
  std::string format;  // in words: "GPU short-course pickle", "MATLAB v5 (MUST)"
  ScannerRecord scanner = {};
  NamedSamples named = {};
  std::string name;  // file name without folders, plain_text() for a caption

  // Frame `index` < frame_count, layout and type as the acquisition says. When the file's own layout is already that,
  // this points into the mapped file; otherwise into memory converted once at opening. Valid as long as the recording.
  // Throws Error when a mapped file became shorter since. Of one that is lost while it is read, core/process_memory.h
  // knows.
  std::function<std::span<const std::byte>(std::uint64_t index)> frame;
  // Where frames are read when they are wanted. In place of `frame` where they cannot be lent (too big for memory);
  // beside it where they are kept, and `frame` waits for one that has not been read.
  std::shared_ptr<FrameStream> reader;
  std::span<const std::byte> memory;  // holds all frames, for a backend to page-lock; empty for a mapped file
  std::shared_ptr<const void> owner;  // keeps mapping or memory alive
};

// The recording was not read: the system offers no sandbox, and reading without one was not allowed.
class NoSandbox : public Error {
 public:
  using Error::Error;
};

}  // namespace echoloop
