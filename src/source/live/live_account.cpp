#include "source/live/live_account.h"

#include <algorithm>
#include <utility>

#include "core/sequence.h"

namespace echoloop {

NumberedFrame LiveAccount::begin(std::uint64_t sequence, std::uint64_t lost_so_far) {
  // The first epoch of all keeps the sender's numbers. Stale frames at the end of the one before have numbers, too.
  const std::uint64_t stale = epochs_ > 0 ? std::exchange(stale_, 0) : 0;
  if (epochs_ > 0) offset_ = next_ + offset_ + stale - sequence;
  all_stale_ += stale;
  begun_ = true;
  ++epochs_;
  first_ = sequence;
  next_ = sequence + 1;
  lost_ = lost_so_far;
  return {.kind = NumberedFrame::Kind::new_epoch, .sequence = sequence + offset_, .gap = {.stale = stale}};
}

NumberedFrame LiveAccount::add(std::uint64_t sequence, std::uint64_t lost_so_far) {
  if (!begun_) return begin(sequence, lost_so_far);
  const std::uint64_t left_out = sequence - next_, back = next_ - sequence;  // one of them is the distance
  if (left_out > kFarthestAhead && back > kFarthestBack) return begin(sequence, lost_so_far);
  if (left_out > kFarthestAhead) {
    ++duplicates_;
    return {.kind = NumberedFrame::Kind::duplicate,
            .sequence = next_ - std::min(back, next_ - first_) + offset_,
            .gap = {}};
  }
  const bool grew = !is_before(lost_so_far, lost_);
  const std::uint64_t lost = grew ? std::min(lost_so_far - lost_, left_out) : 0;
  if (grew) lost_ = lost_so_far;
  next_ = sequence + 1;
  const std::uint64_t stale = std::min(std::exchange(stale_, 0), left_out - lost);
  all_lost_ += lost;
  all_stale_ += stale;
  all_missing_ += left_out - lost - stale;
  return {.kind = NumberedFrame::Kind::follows, .sequence = sequence + offset_, .gap = {.lost = lost, .stale = stale}};
}

void LiveAccount::add_stale(std::uint64_t sequence) {
  if (begun_ && sequence - next_ <= kFarthestAhead) ++stale_;
}

}  // namespace echoloop
