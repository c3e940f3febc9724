// Short recording in memory: numbered frames (numbered_frames.h) lent in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "backend/plain_array.h"
#include "support/numbered_frames.h"

namespace echoloop::testing {

class LentFrames final : public SeekableSource {
 public:
  static constexpr std::uint64_t kFrames = 50;
  std::function<void(std::uint64_t)> on_read;  // [any thread]

  LentFrames() : acquisition_(share(integer_acquisition(64, 1111))), memory_(kFrames * bytes()) {
    for (std::uint64_t i = 0; i < kFrames; ++i) number_frame(memory().subspan(i * bytes(), bytes()), i);
  }
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "lent frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return kFrames; }
  // Unevenly spaced, as a scanner's may be.
  [[nodiscard]] std::optional<double> recorded_time_s(std::uint64_t index) const override { return time_s(index); }
  [[nodiscard]] bool zero_copy() const override { return true; }
  static double time_s(std::uint64_t index) { return 1e-3 * static_cast<double>(index * index); }
  [[nodiscard]] std::span<std::byte> memory() { return {memory_.begin(), memory_.end()}; }
  [[nodiscard]] std::size_t bytes() const { return acquisition_->frame_bytes(); }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/, const std::stop_token&) override {
    if (on_read) on_read(index % kFrames);
    return memory().subspan(index % kFrames * bytes(), bytes());
  }

  AcquisitionPtr acquisition_;
  PlainArray<std::byte> memory_;
};

// Returns true if the recorded times are those of the frames, wherever the samples are.
inline bool gives_recorded_times(SeekableSource& frames) {
  for (std::uint64_t i = 0; i < LentFrames::kFrames; ++i) {
    const std::optional<Arrival> arrival = frames.next({});
    if (!arrival || arrival->stamp.clock != FrameClock::device || arrival->stamp.time_s != LentFrames::time_s(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace echoloop::testing
