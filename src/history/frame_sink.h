// What takes the frames of a stream once they have been read, one after another in a chain: the ring offers each frame
// to the first sink, which passes it on to the next (FrameKeeper). A sink outlives streams: begin() and end() are its
// stream's.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/acquisition.h"
#include "core/frame.h"

namespace echoloop {

struct KeptFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps frame.samples
  AcquisitionPtr acquisition = {};    // of the frame
};

// The stream that fills a sink.
struct HistoryFeed {
  std::size_t frame_bytes = 0;
  double frame_rate_hz = 0.0;              // of the acquisition; 0: unknown
  HostMemory kind = HostMemory::pageable;  // of the ring's slots: a sink's memory is of the same kind
  // bytes -> memory; empty memory: there is none. [sink's thread]
  std::function<FrameMemory(std::size_t)> allocate;
  // A source that lends its frames in place gives them again, by FrameStamp::source_index; without samples when its
  // file was lost meanwhile. Empty: frames lie in slots.
  std::function<KeptFrame(std::uint64_t)> lend;
  AcquisitionPtr acquisition = {};  // of the frames
};

class FrameSink : public FrameKeeper {
 public:
  // Between streams, from one thread: a stream begins, with frames of one size; it ends.
  virtual void begin(HistoryFeed feed) = 0;
  virtual void end() = 0;
  virtual void set_policy(RingPolicy /*policy*/) {}  // of the stream that begins, or runs; any thread
};

}  // namespace echoloop
