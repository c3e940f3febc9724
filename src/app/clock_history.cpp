#include "app/clock_history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace echoloop {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr auto kBinCount = static_cast<std::int64_t>(ClockHistory::kBins);

std::size_t place(std::int64_t bin) { return static_cast<std::size_t>(bin % kBinCount); }

}  // namespace

ClockHistory::ClockHistory(BetweenValues between) : between_(between), last_(kNothing) { bins_.fill(kNothing); }

void ClockHistory::advance(std::int64_t now_ns) {
  const std::int64_t bin = now_ns / kBin_ns;
  const float between = between_ == BetweenValues::last_value ? last_ : kNothing;
  for (std::int64_t b = std::max(newest_ + 1, bin - kBinCount + 1); b <= bin; ++b) bins_[place(b)] = between;
  newest_ = std::max(newest_, bin);
}

void ClockHistory::add(std::int64_t now_ns, double value) {
  advance(now_ns);
  last_ = static_cast<float>(value);
  float& bin = bins_[place(newest_)];
  bin = std::isnan(bin) ? last_ : std::max(bin, last_);
}

std::vector<float> ClockHistory::values(std::int64_t now_ns) {
  advance(now_ns);
  std::vector<float> list;
  list.reserve(kBins);
  for (std::int64_t b = newest_ - kBinCount + 1; b <= newest_; ++b) {
    list.push_back(bins_[place(std::max<std::int64_t>(b, 0))]);
  }
  return list;
}

}  // namespace echoloop
