// Playback of a recording as in the program, for reader_bench.cpp: one thread puts frames into the slots of a ring,
// another one reads them, and the history keeps them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/frame_ring.h"
#include "formats/open_recording.h"
#include "history/rf_history.h"
#include "source/source.h"

namespace echoloop {

struct Turn {
  double frames_per_second = 0.0;
  double computing_us = 0.0;  // per frame
};

// Ring and history are kept between turns.
class Stream {
 public:
  // `reader`: process that reads the frames; 0: this one.
  Stream(Recording recording, std::size_t history_bytes, pid_t reader);

  [[nodiscard]] std::uint64_t frame_count() const { return source_->frame_count(); }

  Turn play(std::uint64_t n_frames);

 private:
  void fill_history();

  std::unique_ptr<SeekableSource> source_;
  RfHistory history_;
  std::unique_ptr<FrameRing> ring_;
  pid_t reader_;
  std::uint64_t next_ = 0;
};

}  // namespace echoloop
