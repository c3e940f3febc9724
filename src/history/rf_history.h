// The last raw frames of a stream, to look back at: as many as fit the budget. Nothing is copied for it: the ring hands
// over the memory of each frame that has been read and takes the memory of the oldest one in exchange (FrameKeeper).
// Frames that a recording lends in place cost no memory at all. Frames of another acquisition of the same source stay
// until newer ones take their room, each with its own acquisition. More memory is made by a thread of its own, a piece
// at a time, as long as the budget allows it. Frames that a policy dropped were never read and are not here.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "history/file_sinks.h"

namespace echoloop {

struct HistoryExtent {
  std::size_t frames = 0;
  double seconds = 0.0;   // of acquisition, from the oldest to the newest frame
  std::size_t bytes = 0;  // of memory held, frames and spare
};

class RfHistory final : public FrameSink {
 public:
  explicit RfHistory(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}  // 0: keeps nothing
  ~RfHistory() override { end(); }
  RfHistory(const RfHistory&) = delete;
  RfHistory& operator=(const RfHistory&) = delete;

  // Between streams, from one thread: a stream begins (what is kept in slots' memory stays), ends (its allocator will
  // not be called any more), another source is opened (which ends the stream before it as well).
  void begin(HistoryFeed feed) override;
  void end() override;
  void clear();

  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;  // processing thread

  // From hold() to release() nothing is added and nothing goes: indices stay what they are. [any thread]
  void hold();
  void release();

  // Index 0 is the oldest frame. [any thread]
  [[nodiscard]] HistoryExtent extent() const;
  [[nodiscard]] std::vector<FrameStamp> stamps() const;
  [[nodiscard]] std::optional<KeptFrame> at(std::size_t index) const;  // nothing also when its file was lost
  [[nodiscard]] double frame_rate_hz() const;                          // of the stream that fills it; 0: unknown
  [[nodiscard]] std::size_t budget_bytes() const { return budget_bytes_; }

  static constexpr std::size_t kMaxFrames = 1 << 16;  // also of frames that cost no memory: 1 s at 65 kHz

 private:
  struct Entry {
    RfFrame frame;
    FrameMemory memory;
    AcquisitionPtr acquisition;
  };

  void grow();
  void resize(std::size_t frames);
  // Memory that a frame of the stream can lie in. Under mutex_
  [[nodiscard]] bool fits(const FrameMemory& memory) const;
  void make_room();  // takes the oldest frame's memory into spare_, or lets it go. Under mutex_
  [[nodiscard]] bool wants_memory() const;
  [[nodiscard]] std::size_t chunk_frames() const;
  [[nodiscard]] const Entry& entry(std::size_t index) const { return ring_[(head_ + index) % ring_.size()]; }

  const std::size_t budget_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below under mutex_.
  HistoryFeed feed_;
  std::vector<Entry> ring_;  // a circle; its size is the most frames that can be kept
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::vector<FrameMemory> spare_;
  std::size_t bytes_ = 0;   // of the memory in ring_ and spare_
  bool exhausted_ = false;  // the last attempt to get memory failed
  bool held_ = false;
  bool ended_ = true;
  std::thread grower_;
};

}  // namespace echoloop
