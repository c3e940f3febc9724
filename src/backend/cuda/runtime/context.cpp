#include "backend/cuda/runtime/context.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace echoloop::cuda {
namespace {

constexpr std::int64_t kPeriodNs = 1'000'000'000;
constexpr std::int64_t kPatienceNs = 50'000;

std::int64_t to_whole_ns(float ms) { return std::llround(static_cast<double>(ms) * 1e6); }

}  // namespace

GpuClock::GpuClock(StreamView idle) : idle_(idle) {
  std::int64_t best = kPeriodNs;
  for (int i = 0; i < 8; ++i) {  // the shortest of several round trips is the most precise
    Anchor& trial = anchors_[newest_ == 0 ? 1 : 0];
    const std::int64_t before = now_ns();
    trial.event.record(idle_);
    trial.event.synchronize();
    const std::int64_t after = now_ns();
    if (after - before >= best && i > 0) continue;
    best = after - before;
    trial.ns = before + best / 2;
    newest_ = newest_ == 0 ? 1 : 0;
  }
  previous_ = newest_;
  tried_ns_ = now_ns();
}

void GpuClock::refresh() {
  const std::int64_t before = now_ns();
  if (before - tried_ns_ < kPeriodNs) return;
  tried_ns_ = before;
  std::size_t spare = 0;
  while (spare == newest_ || spare == previous_) ++spare;
  Anchor& anchor = anchors_[spare];
  anchor.event.record(idle_);
  std::int64_t after = before;
  while (!anchor.event.passed()) {
    after = now_ns();
    if (after - before > kPatienceNs) return;  // the stream is busy: keeps the old anchor
  }
  after = now_ns();
  // The chain of elapsed times is smooth and bounded by two host readings: drift cannot accumulate.
  const std::int64_t chained = anchors_[newest_].to_ns(anchor.event);
  anchor.ns = std::clamp(chained, before, after);
  previous_ = newest_;
  newest_ = spare;
}

std::int64_t GpuClock::Anchor::to_ns(const Event& later) const { return ns + to_whole_ns(later.ms_since(event)); }

const GpuClock::Anchor& GpuClock::anchor_before(const Event& first) const {
  const Anchor& newest = anchors_[newest_];
  return first.ms_since(newest.event) >= 0.0f ? newest : anchors_[previous_];
}

}  // namespace echoloop::cuda
