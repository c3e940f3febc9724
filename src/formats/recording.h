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

namespace echoloop {

struct Recording {
  AcquisitionPtr acquisition;
  std::uint64_t frame_count = 0;
  std::string format;  // in words: "GPU short-course pickle", "MATLAB v5 (MUST)"
  std::string name;    // file name without folders

  // Frame `index` < frame_count, layout and type as the acquisition says. When the file's own layout is already that,
  // this points into the mapped file; otherwise into memory converted once at opening. Valid as long as the recording.
  // Throws Error when a mapped file became shorter since. (Shortened while a lent frame is being read, it faults.)
  std::function<std::span<const std::byte>(std::uint64_t index)> frame;
  // In place of `frame` where frames cannot be lent (too big for memory, and laid out otherwise in the file): writes
  // frame `index` into `out`, acquisition->frame_bytes() long. Throws Error. Fastest in order. [any thread]
  std::function<void(std::uint64_t index, std::span<std::byte> out)> read;
  std::span<const std::byte> memory;  // holds all frames, for a backend to page-lock; empty for a mapped file
  std::shared_ptr<const void> owner;  // keeps mapping or memory alive
};

// Called now and then while a big file opens: fraction done, 0..1. [opening thread]
using OpenProgress = std::function<void(double fraction)>;

// Throws Error: one line with the file, what was found, what is accepted. Executes nothing from the file.
Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress = {},
                         std::stop_token stop = {});

}  // namespace echoloop
