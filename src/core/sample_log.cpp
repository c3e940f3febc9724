#include "core/sample_log.h"

#include <utility>

namespace echoloop {

void SampleLog::keep(std::uint64_t frame, SampleFaults faults) {
  const std::scoped_lock lock(mutex_);
  if (checked_.size() <= frame) checked_.resize(std::max<std::size_t>(frame + 1, 2 * checked_.size()));
  checked_[frame] = true;
  samples_ = faults.samples;
  if (faults.any()) faulty_[frame] = std::move(faults);
}

bool SampleLog::has(std::uint64_t frame) const {
  const std::scoped_lock lock(mutex_);
  return frame < checked_.size() && checked_[frame];
}

SampleFaults SampleLog::of(std::uint64_t frame) const {
  const std::scoped_lock lock(mutex_);
  if (frame >= checked_.size() || !checked_[frame]) return {};
  if (const auto found = faulty_.find(frame); found != faulty_.end()) return found->second;
  return {.frames = 1, .samples = samples_};
}

std::uint64_t SampleLog::invalid(std::uint64_t frame) const {
  const std::scoped_lock lock(mutex_);
  const auto found = faulty_.find(frame);
  return found != faulty_.end() ? found->second.of(SampleFault::invalid).samples : 0;
}

void SampleLog::count(std::uint64_t frame) {
  const std::scoped_lock lock(mutex_);
  if (frame >= checked_.size() || !checked_[frame]) return;
  const auto found = faulty_.find(frame);
  since_start_.add(found != faulty_.end() ? found->second : SampleFaults{.frames = 1, .samples = samples_});
}

void SampleLog::restart() {
  const std::scoped_lock lock(mutex_);
  since_start_ = {};
}

SampleFaults SampleLog::since_start() const {
  const std::scoped_lock lock(mutex_);
  return since_start_;
}

}  // namespace echoloop
