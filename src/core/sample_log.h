// Faults of a source's samples, per frame and for all frames processed since the stream's start. The source writes when
// it checks a frame, the processing thread counts, the window and the report read. Frames have the source's numbers; of
// a frame without faults only the check is recorded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace echoloop {

// Invalid samples of channel data, counted for one frame or many: one row each in the table below, for the status bar,
// captions, messages and the report. Plain values.

enum class SampleFault { invalid, clipped, silent };
inline constexpr std::size_t kSampleFaults = 3;

struct SampleFaultRow {
  std::string_view key;   // in the report, and in text
  std::string_view help;  // a sentence
};
inline constexpr std::array<SampleFaultRow, kSampleFaults> kSampleFaultRows = {
    {{"invalid", "Invalid samples (NaN, infinite or beyond 1e15) are processed as zero."},
     {"clipped", "Clipped samples are at the limit of the converter: reduce the receive gain."},
     {"silent", "Silent frames have one value throughout: they contain no echo."}}};

struct SampleFaultCount {
  std::uint64_t samples = 0;
  std::uint64_t checked = 0;        // samples tested for this fault; 0: as for all
  std::vector<bool> elements = {};  // [element], affected ones; empty: none
};

struct SampleFaults {
  std::uint64_t frames = 0;   // checked ones
  std::uint64_t samples = 0;  // of them
  std::array<SampleFaultCount, kSampleFaults> found{};

  [[nodiscard]] const SampleFaultCount& of(SampleFault fault) const { return found[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] SampleFaultCount& of(SampleFault fault) { return found[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] double share(SampleFault fault) const {
    const std::uint64_t tested = of(fault).checked > 0 ? of(fault).checked : samples;
    return tested > 0 ? static_cast<double>(of(fault).samples) / static_cast<double>(tested) : 0.0;
  }
  void add(const SampleFaults& other) {
    frames += other.frames;
    samples += other.samples;
    for (std::size_t i = 0; i < kSampleFaults; ++i) {
      SampleFaultCount& sum = found[i];
      const SampleFaultCount& one = other.found[i];
      sum.samples += one.samples;
      sum.checked += one.checked;
      if (sum.elements.size() < one.elements.size()) sum.elements.resize(one.elements.size());
      for (std::size_t e = 0; e < one.elements.size(); ++e)
        if (one.elements[e]) sum.elements[e] = true;
    }
  }
  [[nodiscard]] bool any() const {
    return std::ranges::any_of(found, [](const SampleFaultCount& count) { return count.samples > 0; });
  }
};

class SampleLog {
 public:
  // All but count(): any thread.
  void keep(std::uint64_t frame, SampleFaults faults) {
    const std::scoped_lock lock(mutex_);
    if (checked_.size() <= frame) checked_.resize(std::max<std::size_t>(frame + 1, 2 * checked_.size()));
    checked_[frame] = true;
    samples_ = faults.samples;
    if (faults.any()) faulty_[frame] = std::move(faults);
  }
  [[nodiscard]] bool has(std::uint64_t frame) const {
    const std::scoped_lock lock(mutex_);
    return frame < checked_.size() && checked_[frame];
  }
  // Returns no frames if the frame is not checked yet.
  [[nodiscard]] SampleFaults of(std::uint64_t frame) const {
    const std::scoped_lock lock(mutex_);
    if (frame >= checked_.size() || !checked_[frame]) return {};
    if (const auto found = faulty_.find(frame); found != faulty_.end()) return found->second;
    return {.frames = 1, .samples = samples_};
  }
  // Counts a frame after processing. [processing thread]
  void count(std::uint64_t frame) {
    const std::scoped_lock lock(mutex_);
    if (frame >= checked_.size() || !checked_[frame]) return;
    const auto found = faulty_.find(frame);
    since_start_.add(found != faulty_.end() ? found->second : SampleFaults{.frames = 1, .samples = samples_});
  }
  // Resets the counts of processed frames.
  void restart() {
    const std::scoped_lock lock(mutex_);
    since_start_ = {};
  }
  [[nodiscard]] SampleFaults since_start() const {
    const std::scoped_lock lock(mutex_);
    return since_start_;
  }

 private:
  mutable std::mutex mutex_;
  // All below under mutex_.
  std::vector<bool> checked_;
  std::map<std::uint64_t, SampleFaults> faulty_;
  std::uint64_t samples_ = 0;  // of a frame
  SampleFaults since_start_;
};

using SampleLogPtr = std::shared_ptr<SampleLog>;

}  // namespace echoloop
