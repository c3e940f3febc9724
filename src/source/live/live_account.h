// Numbers of frames as a sender counts them, and as the stream does. A sender may begin again from any number: that is
// a new epoch, whose numbers follow those of the one before. Which of the numbers left out were lost at the sender is
// in its frame words. All numbers count modulo 2^64. Pure.
#pragma once

#include <cstdint>

#include "core/frame.h"

namespace echoloop {

struct NumberedFrame {
  enum class Kind { follows, duplicate, new_epoch };
  Kind kind = Kind::follows;
  std::uint64_t sequence = 0;  // of the stream
  FrameGap gap;
};

class LiveAccount {
 public:
  // A sender has connected: its next frame begins an epoch.
  void begin_epoch() { begun_ = false; }
  // The next frame that came; `lost_so_far` as its word says.
  NumberedFrame add(std::uint64_t sequence, std::uint64_t lost_so_far);
  // One that came, and is not put into the stream: it was made with an earlier description. Counted with the next frame
  // that follows, as what is missing is.
  void add_stale(std::uint64_t sequence);

  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t lost() const { return all_lost_; }        // at the sender, in all epochs
  [[nodiscard]] std::uint64_t missing() const { return all_missing_; }  // likewise
  [[nodiscard]] std::uint64_t stale() const { return all_stale_; }      // likewise
  [[nodiscard]] std::uint64_t next() const { return next_ + offset_; }  // number that the stream expects

  // A number further ahead than this, or further back than that, is not a gap or a duplicate, but begins an epoch.
  static constexpr std::uint64_t kFarthestAhead = std::uint64_t{1} << 32, kFarthestBack = 1024;

 private:
  NumberedFrame begin(std::uint64_t sequence, std::uint64_t lost_so_far);

  bool begun_ = false;
  std::uint64_t epochs_ = 0;
  std::uint64_t first_ = 0;   // of the epoch, as the sender counts
  std::uint64_t next_ = 0;    // expected, as the sender counts
  std::uint64_t offset_ = 0;  // of the stream's number over the sender's, modulo 2^64
  std::uint64_t lost_ = 0;    // the sender's count at the last frame
  std::uint64_t stale_ = 0;   // since the last frame
  std::uint64_t duplicates_ = 0, all_lost_ = 0, all_missing_ = 0, all_stale_ = 0;
};

}  // namespace echoloop
