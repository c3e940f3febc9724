// Whether the kernels of consecutive frames run side by side, each lane's on a stream of its own, or one after the
// other on the processing stream, and how many frames a launch takes. Kernels that take about as long as the copies to
// the device and run in order fall behind them at times, which costs a tenth: this is to be avoided from nine tenths of
// the copies' time on. Several frames a launch need less time each; where that is too long still, launches run side by
// side, which fills their gaps and tails but lowers the rate of the copies by some percent. So the first launches of a
// plan run in order and are measured, with the frames that are taken together in any case, then with as many as
// possible; and some of every thousand again. Most of them decide, as a pause of the host lengthens single ones.
// Processing thread only.
#pragma once

#include <cstdint>
#include <memory>

namespace echoloop::cuda {

class FrameOverlap {
 public:
  enum class Bound { copies, kernels };  // what takes longer
  // Measured ones run in order, and measured() is wanted: with few frames (Bound::copies) or many (Bound::kernels).
  enum class Turn { in_order, measured_few, measured_many, side_by_side };

  // Frames of `plan` come next; it is compared by its owner, as a new plan can lie at the address of a former one.
  void begin(const std::shared_ptr<const void>& plan) {
    if (!plan_.owner_before(plan) && !plan.owner_before(plan_)) return;
    *this = {};
    plan_ = plan;
  }

  // Of the launch that starts now.
  [[nodiscard]] Turn next() {
    const Turn turn = turn_at(started_ % kPeriod);
    if (started_++ % kPeriod == 0) few_ = many_ = {};
    return turn;
  }
  // Of the one that starts next.
  [[nodiscard]] Bound bound() const {
    return started_ % kPeriod >= kFew && few_.is_longer() ? Bound::kernels : Bound::copies;
  }

  // The time that the bus, and that the kernels, took for a launch of such a turn.
  void measured(Turn turn, std::int64_t copy_ns, std::int64_t work_ns) {
    Measure& measure = turn == Turn::measured_few ? few_ : many_;
    ++measure.launches;
    measure.longer += work_ns > copy_ns - copy_ns / 10 ? 1 : 0;
  }

 private:
  struct Measure {
    int launches = 0;
    int longer = 0;  // whose kernels took nine tenths of the copies' time or more
    [[nodiscard]] bool is_longer() const { return 2 * longer > launches; }
  };

  [[nodiscard]] Turn turn_at(std::uint64_t place) const {
    if (place < kSettling) return Turn::in_order;
    if (place < kFew) return Turn::measured_few;
    if (!few_.is_longer() || place < kFew + kSettling) return Turn::in_order;
    if (place < kMany) return Turn::measured_many;
    return many_.is_longer() ? Turn::side_by_side : Turn::in_order;
  }

  static constexpr std::uint64_t kPeriod = 1024;
  static constexpr std::uint64_t kSettling = 8;  // launches of another kind have left the lanes
  static constexpr std::uint64_t kFew = 16;      // so many have been measured with few frames
  static constexpr std::uint64_t kMany = 32;     // and with many

  std::weak_ptr<const void> plan_;
  std::uint64_t started_ = 0;  // launches
  Measure few_, many_;
};

}  // namespace echoloop::cuda
