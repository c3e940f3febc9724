// What a reader makes of a file: the acquisition and its frames, ready to be lent frame by frame.
// One file a format implements a reader; open_recording() chooses by content, never by name alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/frame.h"

namespace echoloop {

// Frames that are read when they are wanted. [any thread]
class FrameStream {
 public:
  virtual ~FrameStream() = default;

  // Frame `index` into `slot`, acquisition->frame_bytes() long. Memory of allocate() is not written but exchanged for
  // memory that holds the frame, so that nothing is copied; other memory, or without an owner, is written into. Throws
  // Error, within 20 ms when `stop` is requested while the frame is waited for. Fastest in order.
  virtual void read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop = {}) = 0;

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
  std::string name;    // file name without folders, plain_text() for a caption

  // Frame `index` < frame_count, layout and type as the acquisition says. When the file's own layout is already that,
  // this points into the mapped file; otherwise into memory converted once at opening. Valid as long as the recording.
  // Throws Error when a mapped file became shorter since. Of one that is lost while it is read, core/mapped_files.h
  // knows.
  std::function<std::span<const std::byte>(std::uint64_t index)> frame;
  // In place of `frame` where frames cannot be lent (too big for memory, and laid out otherwise in the file).
  std::shared_ptr<FrameStream> reader;
  std::span<const std::byte> memory;  // holds all frames, for a backend to page-lock; empty for a mapped file
  std::shared_ptr<const void> owner;  // keeps mapping or memory alive
};

// Called now and then while a big file opens: fraction done, 0..1. [opening thread]
using OpenProgress = std::function<void(double fraction)>;

// The recording was not read: the system offers no sandbox, and reading without one was not allowed.
class NoSandbox : public Error {
 public:
  using Error::Error;
};

// Throws Error: one line with the file, what was found, what is accepted. Executes nothing from the file.
Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress = {},
                         std::stop_token stop = {});

// Of files that other people made, an own process reads what is inside, in a sandbox. In words, as far as this system
// offers it: "static reader: seccomp, Landlock, namespaces". Starts the process.
std::string sandbox_text();
// From then on files are opened also where the system offers neither seccomp nor Landlock.
void allow_reading_unsandboxed();

// From then on waits for a reader process end soon, with an Error, when `ending` says that the program is to end.
void stop_reading_when(std::function<bool()> ending);

}  // namespace echoloop
