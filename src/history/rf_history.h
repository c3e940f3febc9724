// Last raw frames of a stream, as many as fit the budget. Nothing is copied: the ring hands over the memory of each
// frame read and gets that of the oldest one in exchange (FrameKeeper). Frames lent in place by a recording need no
// memory. Frames of another acquisition of the same source are kept, each with its own acquisition, until newer ones
// need their room. A thread of its own allocates more memory piece by piece within the budget. Frames dropped by a
// policy are not included.
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
  std::size_t bytes = 0;  // of memory held, for frames and spare
};

// Returns the mean square of 16 runs of 16 values spread over a frame of channel data, in dB; -inf for zeros.
[[nodiscard]] float mean_level_db(std::span<const std::byte> samples, SampleType type);

class RfHistory final : public FrameSink {
 public:
  explicit RfHistory(std::size_t budget_bytes) : budget_bytes_(budget_bytes) {}  // 0: keeps nothing
  ~RfHistory() override { end(); }
  RfHistory(const RfHistory&) = delete;
  RfHistory& operator=(const RfHistory&) = delete;

  // Marks the start of a stream (frames in slots' memory are kept), its end (its allocator is no longer called), or
  // another source (also ends the stream). begin(): between streams; end() and clear(): any thread, a stream that is
  // ending in the background included.
  void begin(HistoryFeed feed) override;
  void end() override;
  void clear();

  FrameMemory offer(const RfFrame& frame, FrameMemory memory) override;  // processing thread

  // Freezes the contents from hold() to release(): indices stay valid. [any thread]
  void hold();
  void release();

  // Index 0 is the oldest frame. [any thread]
  [[nodiscard]] HistoryExtent extent() const;
  [[nodiscard]] std::vector<FrameStamp> stamps() const;
  [[nodiscard]] std::vector<float> levels_db() const;                  // mean_level_db() of each frame
  [[nodiscard]] std::optional<KeptFrame> at(std::size_t index) const;  // nullopt also if its file was lost
  [[nodiscard]] double frame_rate_hz() const;                          // of the stream being kept; 0: unknown
  [[nodiscard]] std::size_t budget_bytes() const { return budget_bytes_; }

  static constexpr std::size_t kMaxFrames = 1 << 16;  // also for frames without memory: 1 s at 65 kHz

 private:
  struct Entry {
    RfFrame frame;
    FrameMemory memory;
    AcquisitionPtr acquisition;
    float level_db = 0.0F;
  };

  void grow();
  void resize(std::size_t frames);
  // Returns true for memory that can hold a frame of the stream. Under mutex_
  [[nodiscard]] bool fits(const FrameMemory& memory) const;
  void make_room();  // moves the oldest frame's memory to spare_, or frees it. Under mutex_
  [[nodiscard]] bool wants_memory() const;
  [[nodiscard]] std::size_t chunk_frames() const;
  [[nodiscard]] const Entry& entry(std::size_t index) const { return ring_[(head_ + index) % ring_.size()]; }

  const std::size_t budget_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below under mutex_.
  HistoryFeed feed_;
  std::vector<Entry> ring_;  // circular; its size is the maximum number of frames
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::vector<FrameMemory> spare_;
  std::size_t bytes_ = 0;   // of the memory in ring_ and spare_
  bool exhausted_ = false;  // the last allocation failed
  bool held_ = false;
  bool ended_ = true;
  std::mutex ending_;  // taken before mutex_: the grower is joined once
  std::thread grower_;
};

}  // namespace echoloop
