// A scanner's connection, a stream that is slower than its source or than real time, and the numbers of frames, in
// words. Pure. Any thread.
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

// How frames are numbered wherever a person reads it: from 1, those of a recording by their place in it. A scanner's
// sender has numbers of its own. JSON has FrameStamp's.
struct FrameNumbers {
  std::uint64_t count = 0;  // of a recording; 0: endless
  bool by_sender = false;
  [[nodiscard]] std::uint64_t of(const FrameStamp& stamp) const { return stamp.source_index + (by_sender ? 0 : 1); }
  [[nodiscard]] std::uint64_t in_stream(std::uint64_t sequence) const {
    return of({.source_index = count > 0 ? sequence % count : sequence});
  }
  [[nodiscard]] std::string text(const FrameStamp& stamp) const;  // "1 234", "3 of 12"
};
FrameNumbers numbers_of(const SourceInfo& source);

// "3.2 s", "4 min 12 s", "2 h 05 min".
std::string elapsed_text(double seconds);

// "No sender since 3.2 s"; empty while a sender is connected, or before the first one.
std::string no_sender_text(const LiveStatus& status, std::int64_t now_ns);

// As a sender names the address that is waited at: a port of all networks by this machine's name, with the token file.
std::string sender_address(const std::string& address, const std::string& host);

std::string held_back_text(const StreamPace& pace);  // "Processing limits: 23 of 50 fps"; empty: it is not
std::string held_back_help(const StreamPace& pace);
std::string speed_text(const StreamPace& pace);  // "playing at 0.46×"; empty: in real time, or its rate is unknown

// What a film shows beside its images: source, note, display. Plain values; any thread.

enum class FilmFlow { none, shown };

struct FilmLook {
  Grid grid;              // of the first image: decides the film's size
  ImagingParams display;  // window, gamma and map of all images
  std::string source;
  std::string note;  // e.g. "20× slower"; may be empty
  FilmFlow flow = FilmFlow::none;
  FrameNumbers numbers = {};
  SampleLogPtr samples = {};  // of the source; null: nothing is said of its samples
};

}  // namespace echoloop
