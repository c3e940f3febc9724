// Source whose frames are checked before any other use (check_samples()): a recording's frames once each, however often
// they are played. Invalid samples become zero: in place if the frame is in a slot, in a copy if the source lends its
// memory. All users of a frame (stream, history, comparison, measuring) therefore get the same samples on every
// backend, and kernels need no checks. [as Source]
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "core/acquisition.h"
#include "core/sample_log.h"
#include "source/source.h"

namespace echoloop {

// Writes to `log`. Throws Error if no sample of the source is valid.
std::unique_ptr<SeekableSource> make_checked(std::unique_ptr<SeekableSource> source, SampleLogPtr log);

// Base of sources that deliver another source's frames in their own way and forward all else to it.

class ForwardingSource : public SeekableSource {
 public:
  explicit ForwardingSource(std::shared_ptr<SeekableSource> source) : source_(std::move(source)) {}

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return source_->acquisition(); }
  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return source_->frame_count(); }
  [[nodiscard]] std::optional<double> recorded_time_s(std::uint64_t index) const override {
    return source_->recorded_time_s(index);
  }

 protected:
  const std::shared_ptr<SeekableSource> source_;
};

// Counts invalid samples of a frame of channel data, on the host, before any backend: the same numbers for every
// device. [any thread]
//
// Invalid: NaN, infinite, or beyond kLargestSample, where squares of sums exceed a float's range.
// Clipped: a converter at its limit repeats one value, which no other one exceeds. The frame's largest and smallest
// value are each regarded as such a limit if
//   it is the limit of the type (int16), twice in a row on a line (of IQ: in one component), or
//   it occurs kLongPlateau times in a row, or
//   kManySamples of it occur two or more in a row, at kManyTimes different times: at four samples per period few do;
// then all samples of that value are clipped. A value of more than half of the frame is the rest level, and a line of
// one value has no signal: both are ignored unless at the limit of the type. Derivation: around a maximum A that is not
// clipped, four samples differ by A (1 - cos(3 pi f / fs)), which is more than a quantum from A = 100 up to fs = 66 f;
// smaller integers are ignored. Two equal samples do occur (a maximum between two samples), on many lines in
// simulations (symmetric arrays, equal transmits), but there at one time; single equal maxima on many lines and at many
// times occur in simulations without noise. The extremes are the frame's own, so that its numbers do not depend on
// earlier frames. Beamformed recordings are not checked for clipping: they no longer contain a converter's limit.

inline constexpr float kLargestSample = 1e15F;
inline constexpr int kLongPlateau = 4, kManySamples = 16, kManyTimes = 8;
inline constexpr float kLeastLimit = 100.0F;

// Checks a frame of `acquisition` at the speed of memory: one pass, and a second one over the few lines that reach an
// extreme.
[[nodiscard]] SampleFaults check_samples(std::span<const std::byte> samples, const Acquisition& acquisition);
// Copies each line to `copy` and checks that: reads the samples from memory once.
[[nodiscard]] SampleFaults copy_and_check(std::span<const std::byte> samples, std::span<std::byte> copy,
                                          const Acquisition& acquisition);

// Returns true if no float32 is NaN, infinite or beyond kLargestSample; clean_samples() zeroes those.
[[nodiscard]] bool are_valid(std::span<const std::byte> samples);
void clean_samples(std::span<std::byte> samples);

}  // namespace echoloop
