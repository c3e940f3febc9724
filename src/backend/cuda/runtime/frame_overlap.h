// Whether the kernels of consecutive frames run side by side, each lane's on a stream of its own, or one after the
// other on the processing stream. Side by side they fill each other's gaps and tails, which raises the rate where they
// take longer than the copies to the device, but lowers the rate of the copies by some percent. Kernels that take about
// as long and run in order fall behind the copies at times, which costs a tenth: side by side it is from nine tenths of
// the copies' time on. So the first frames of a plan run one after the other and are measured, and some of every
// thousand again; most of them decide, as a pause of the host lengthens single ones. Processing thread only.
#pragma once

#include <cstdint>
#include <memory>

namespace echoloop::cuda {

class FrameOverlap {
 public:
  enum class Bound { copies, kernels };                  // what takes longer
  enum class Turn { in_order, measured, side_by_side };  // measured: in order, and measured() is wanted

  // Frames of `plan` come next; it is compared by its owner, as a new plan can lie at the address of a former one.
  void begin(const std::shared_ptr<const void>& plan) {
    if (!plan_.owner_before(plan) && !plan.owner_before(plan_)) return;
    *this = {};
    plan_ = plan;
  }

  // Of the frames that start now.
  [[nodiscard]] Turn next() {
    const Turn turn = turn_at(started_ % kPeriod);
    if (started_++ % kPeriod == 0) measured_ = longer_ = 0;
    return turn;
  }
  // Of those that start next, as measured on single frames.
  [[nodiscard]] Bound bound() const {
    return turn_at(started_ % kPeriod) == Turn::side_by_side ? Bound::kernels : Bound::copies;
  }

  // The time that the bus, and that the kernels, took for a frame with Turn::measured.
  void measured(std::int64_t copy_ns, std::int64_t work_ns) {
    ++measured_;
    longer_ += work_ns > copy_ns - copy_ns / 10 ? 1 : 0;
  }

 private:
  [[nodiscard]] Turn turn_at(std::uint64_t place) const {
    if (place < kSettling) return Turn::in_order;
    if (place < kSettling + kMeasured) return Turn::measured;
    return 2 * longer_ > measured_ ? Turn::side_by_side : Turn::in_order;
  }

  static constexpr std::uint64_t kPeriod = 1024;
  static constexpr std::uint64_t kSettling = 8;  // frames that were side by side have left the lanes
  static constexpr std::uint64_t kMeasured = 8;

  std::weak_ptr<const void> plan_;
  std::uint64_t started_ = 0;
  int measured_ = 0, longer_ = 0;  // frames; those whose kernels took nine tenths or more
};

}  // namespace echoloop::cuda
