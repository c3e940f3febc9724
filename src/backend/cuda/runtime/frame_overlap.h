// Whether the kernels of consecutive frames run side by side, each lane's on a stream of its own, or one after the
// other on the processing stream. Side by side they fill each other's gaps and tails, which raises the rate where they
// take longer than the copies to the device, but lowers the rate of the copies by some percent: it pays where they take
// a tenth longer. So the first frames of a plan run one after the other and are measured, and some of every thousand
// again; most of them decide, as a pause of the host lengthens single ones. Processing thread only.
#pragma once

#include <cstdint>

namespace echoloop::cuda {

class FrameOverlap {
 public:
  enum class Turn { in_order, measured, side_by_side };  // measured: in order, and measured() is wanted

  // Frames of `plan` come next; it is compared by its address only.
  void begin(const void* plan) {
    if (plan == plan_) return;
    *this = {};
    plan_ = plan;
  }

  // Of the frame that starts now.
  [[nodiscard]] Turn next() {
    const std::uint64_t at = started_++ % kPeriod;
    if (at == 0) measured_ = longer_ = 0;
    if (at < kSettling) return Turn::in_order;
    if (at < kSettling + kMeasured) return Turn::measured;
    return 2 * longer_ > measured_ ? Turn::side_by_side : Turn::in_order;
  }

  // The time that the bus, and that the kernels, took for a frame with Turn::measured.
  void measured(std::int64_t copy_ns, std::int64_t work_ns) {
    ++measured_;
    longer_ += work_ns > copy_ns + copy_ns / 10 ? 1 : 0;
  }

 private:
  static constexpr std::uint64_t kPeriod = 1024;
  static constexpr std::uint64_t kSettling = 8;  // frames that were side by side have left the lanes
  static constexpr std::uint64_t kMeasured = 8;

  const void* plan_ = nullptr;
  std::uint64_t started_ = 0;
  int measured_ = 0, longer_ = 0;  // frames; those whose kernels took a tenth longer
};

}  // namespace echoloop::cuda
