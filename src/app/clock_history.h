// A quantity of the last ten seconds by the clock, for a plot: bins of equal time, each with the largest value that
// fell into it, so that a short peak stays visible. UI thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace echoloop {

// What a bin without a value shows: nothing, for events, or the last value, for a state that lasts.
enum class BetweenValues { nothing, last_value };

class ClockHistory {
 public:
  static constexpr std::size_t kBins = 200;
  static constexpr std::int64_t kBin_ns = 50'000'000;

  explicit ClockHistory(BetweenValues between);
  void add(std::int64_t now_ns, double value);
  // kBins values, the oldest first, the last one now's; not a number where there is none.
  [[nodiscard]] std::vector<float> values(std::int64_t now_ns);

 private:
  void advance(std::int64_t now_ns);

  BetweenValues between_;
  std::array<float, kBins> bins_;  // bin b of the clock at b % kBins
  std::int64_t newest_ = 0;        // bin of the clock
  float last_;                     // value
};

}  // namespace echoloop
