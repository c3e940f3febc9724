// A source whose frames are looked through before anything else sees them (sample_check.h): a recording's frames once
// each, however often they are played. Invalid samples become zero: in place where the frame was written into a slot,
// in a copy where the source lends its memory. Why here: everything that asks for a frame (stream, history, comparison,
// measuring) gets the same samples on every backend, and no kernel needs to know. [as Source]
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "core/acquisition.h"
#include "core/sample_log.h"
#include "source/source.h"

namespace echoloop {

// Writes to `log`. Throws Error when no sample of the source is valid.
std::unique_ptr<SeekableSource> make_checked(std::unique_ptr<SeekableSource> source, SampleLogPtr log);

// A source that gives another one's frames in its own way, and is that source in everything else.

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

// Counts what cannot be right in a frame of channel data, on the host, before any backend sees the frame: the same
// numbers whatever computes. [any thread]
//
// Invalid: NaN, infinite, or beyond kLargestSample, where squares of sums leave a float's range.
// Clipped: a converter at its limit repeats one value, which no other one exceeds. The frame's largest and its smallest
// value each are taken for such a limit when
//   it is the limit of the type (int16), twice in a row on a line (of IQ: in one component), or
//   it stands kLongPlateau times in a row, or
//   kManySamples of it stand two or more in a row, at kManyTimes different times: at four samples a period few are;
// then all samples of that value are clipped. A value that more than half of the frame has is the level at rest, and a
// line of one value has no signal: both are left alone unless they are at the limit of the type. Why these numbers:
// around a maximum A that is not clipped, four samples differ by A (1 - cos(3 pi f / fs)), which is more than a quantum
// from A = 100 up to fs = 66 f; smaller integers are left alone. Two equal samples do occur (a maximum between two
// samples), on many lines in simulations (symmetric arrays, equal transmits), but there at one time; single equal
// maxima on many lines and at many times do in simulations without noise. The extremes are the frame's own, so that its
// numbers do not depend on which frames came before. Beamformed recordings are not looked through for clipping: a
// converter's limit is not in them any more.

inline constexpr float kLargestSample = 1e15F;
inline constexpr int kLongPlateau = 4, kManySamples = 16, kManyTimes = 8;
inline constexpr float kLeastLimit = 100.0F;

// `samples`: a frame of `acquisition`. At the speed of memory: one pass, and a second one over the few lines that reach
// an extreme.
[[nodiscard]] SampleFaults check_samples(std::span<const std::byte> samples, const Acquisition& acquisition);
// Of `copy`, which each line is copied to before it is looked at: the samples are read from memory once.
[[nodiscard]] SampleFaults copy_and_check(std::span<const std::byte> samples, std::span<std::byte> copy,
                                          const Acquisition& acquisition);

// float32: none is NaN, infinite or beyond kLargestSample; those that are become zero.
[[nodiscard]] bool are_valid(std::span<const std::byte> samples);
void clean_samples(std::span<std::byte> samples);

}  // namespace echoloop
