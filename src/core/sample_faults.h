// Samples of channel data that cannot be right, counted for one frame or for many: announced once in the table below,
// which the status bar, captions, messages and the report read. Plain values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace echoloop {

enum class SampleFault { invalid, clipped, silent };
inline constexpr std::size_t kSampleFaults = 3;

struct SampleFaultRow {
  std::string_view key;   // in the report, and in words
  std::string_view help;  // a sentence
};
inline constexpr std::array<SampleFaultRow, kSampleFaults> kSampleFaultRows = {
    {{"invalid", "Invalid samples (NaN, infinite or beyond 1e15) are processed as zero."},
     {"clipped", "Clipped samples are at the limit of the converter: reduce the receive gain."},
     {"silent", "Silent frames have one value throughout: they contain no echo."}}};

struct SampleFaultCount {
  std::uint64_t samples = 0;
  std::vector<bool> elements = {};  // [element], those concerned; empty: none
};

struct SampleFaults {
  std::uint64_t frames = 0;   // that were checked
  std::uint64_t samples = 0;  // of them
  std::array<SampleFaultCount, kSampleFaults> found{};

  [[nodiscard]] const SampleFaultCount& of(SampleFault fault) const { return found[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] SampleFaultCount& of(SampleFault fault) { return found[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] double share(SampleFault fault) const {
    return samples > 0 ? static_cast<double>(of(fault).samples) / static_cast<double>(samples) : 0.0;
  }
  void add(const SampleFaults& other) {
    frames += other.frames;
    samples += other.samples;
    for (std::size_t i = 0; i < kSampleFaults; ++i) {
      SampleFaultCount& sum = found[i];
      const SampleFaultCount& one = other.found[i];
      sum.samples += one.samples;
      if (sum.elements.size() < one.elements.size()) sum.elements.resize(one.elements.size());
      for (std::size_t e = 0; e < one.elements.size(); ++e) {
        if (one.elements[e]) sum.elements[e] = true;
      }
    }
  }
  [[nodiscard]] bool any() const {
    return std::ranges::any_of(found, [](const SampleFaultCount& count) { return count.samples > 0; });
  }
};

}  // namespace echoloop
