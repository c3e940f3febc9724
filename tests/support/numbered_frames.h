// Self-checking frames: every sample derives from the frame's number, the last one from all the others, so that a
// reader can verify completeness and identity.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "source/source.h"
#include "support/acquisitions.h"

namespace echoloop::testing {

inline std::uint32_t mixed(std::uint32_t v) { return (v ^ (v >> 15)) * 2654435761U; }

inline void number_frame(std::span<std::byte> samples, std::uint64_t index) {
  auto* words = reinterpret_cast<std::uint32_t*>(samples.data());
  const std::size_t n = samples.size() / sizeof(std::uint32_t);
  std::uint32_t sum = words[0] = static_cast<std::uint32_t>(index);
  for (std::size_t i = 1; i + 1 < n; ++i) sum += words[i] = mixed(static_cast<std::uint32_t>(index + i));
  words[n - 1] = mixed(sum);
}

inline bool is_whole(const RfFrame& frame) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(frame.samples.data());
  const std::size_t n = frame.samples.size() / sizeof(std::uint32_t);
  const auto index = static_cast<std::uint32_t>(frame.stamp.source_index);
  if (n == 0 || words[0] != index) return false;
  std::uint32_t sum = words[0];
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (words[i] != mixed(static_cast<std::uint32_t>(index + i))) return false;
    sum += words[i];
  }
  return words[n - 1] == mixed(sum);
}

// Endless source.
class NumberedSource final : public SeekableSource {
 public:
  explicit NumberedSource(Acquisition acquisition = linear_acquisition(4, 64))
      : acquisition_(share(std::move(acquisition))) {}
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "numbered frames"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    const std::span<std::byte> frame = slot.bytes.first(acquisition_->frame_bytes());
    number_frame(frame, index);
    return frame;
  }

 private:
  AcquisitionPtr acquisition_;
};

// int16 samples: any bits are valid.
inline Acquisition integer_acquisition(int n_elements, int n_samples) {
  Acquisition acquisition = linear_acquisition(n_elements, n_samples);
  acquisition.sample_type = SampleType::int16;
  return acquisition;
}

// Returns a number from the environment, for longer or shorter runs of the same test.
inline double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtod(text, nullptr) : otherwise;
}

}  // namespace echoloop::testing
