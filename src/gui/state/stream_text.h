// Texts for a scanner's connection, a stream slower than its source or than real time, and frame numbers. Pure. Any
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/frame.h"
#include "core/grid.h"
#include "core/params.h"
#include "core/sample_log.h"
#include "core/stream_settings.h"

namespace echoloop {

struct SourceInfo;

// Frame numbers for display: from 1, for a recording by the position in it. A scanner's sender has its own numbers.
// JSON has those of FrameStamp.
struct FrameNumbers {
  std::uint64_t count = 0;  // frames of a recording; 0: endless
  bool by_sender = false;
  [[nodiscard]] std::uint64_t of(const FrameStamp& stamp) const { return stamp.source_index + (by_sender ? 0 : 1); }
  [[nodiscard]] std::uint64_t in_stream(std::uint64_t sequence) const {
    return of({.source_index = count > 0 ? sequence % count : sequence});
  }
  [[nodiscard]] std::string text(const FrameStamp& stamp) const;  // "1 234", "3 of 12"
};
FrameNumbers numbers_of(const SourceInfo& source);

// Returns "3.2 s", "4 min 12 s", "2 h 05 min".
std::string elapsed_text(double seconds);

// Returns "No sender since 3.2 s"; empty while a sender is connected, or before the first one.
std::string no_sender_text(const LiveStatus& status, std::int64_t now_ns);

// Returns the address to give to a sender: a port of all networks by this machine's name, with the token file.
std::string sender_address(const std::string& address, const std::string& host);

std::string held_back_text(const StreamPace& pace);  // "Processing limits: 23 of 50 fps"; empty: not limited
std::string held_back_help(const StreamPace& pace);
std::string speed_text(const StreamPace& pace);  // "playing at 0.46×"; empty: in real time, or unknown rate

// Texts and display of a video: source, note, parameters. Plain values; any thread.

enum class FilmFlow { none, shown };

struct FilmLook {
  Grid grid;              // grid of the first image: sets the video's size
  ImagingParams display;  // window, gamma and colour map of all images
  std::string source;
  std::string note;  // e.g. "20× slower"; can be empty
  FilmFlow flow = FilmFlow::none;
  FrameNumbers numbers = {};
  SampleLogPtr samples = {};  // log of the source's samples; null: no text about them
};

}  // namespace echoloop
