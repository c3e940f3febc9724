// Sources of frames: a phantom, a recording, a scanner. A source is independent of rings and pacing; the Producer
// (producer.h) requests frame after frame: first the stamp, then, if the ring has a slot, the samples, so that a
// dropped frame costs nothing. Phantoms and recordings are seekable: they deliver any frame at any time, the same
// samples for the same index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "core/acquisition.h"
#include "core/contents.h"
#include "core/frame.h"
#include "core/sample_log.h"
#include "formats/base/recording.h"

namespace echoloop {

class SeekableSource;
class LiveSource;

// paused: by the user.
enum class Taking { on, paused };

// Frame available from the source.
struct Arrival {
  FrameStamp stamp;                 // acquired_ns is set by the ring
  AcquisitionPtr acquisition = {};  // new acquisition from this frame on; null: unchanged
  bool dropped = false;             // only counted: it came while the stream was stopped
};

class Source {
 public:
  virtual ~Source() = default;

  [[nodiscard]] virtual const AcquisitionPtr& acquisition() const = 0;  // of the next frame
  [[nodiscard]] virtual std::string name() const = 0;                   // "Heart phantom", "PWI_disk.mat"

  // Returns the next frame; nullopt at the end, after which the source restarts, if it can. Waits for a frame until
  // `stop` is requested, and then throws Error. A frame whose samples were not fetched is gone, except for the first
  // one of another acquisition, which is repeated. Throws Error if no frame is possible. [producer thread]
  virtual std::optional<Arrival> next(const std::stop_token& stop) = 0;

  // Returns the samples of that frame: in `slot` (acquisition()->frame_bytes() long), in memory of the same size that
  // replaces the slot's, or lent from memory that lives as long as the source. A repeated call returns the same
  // samples. Throws Error if they are not available (a file that shrank), or if `stop` is requested during a wait.
  // [producer thread]
  virtual std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& stop) = 0;

  // Sets the next frame's number, to continue an earlier stream of the same source. [no stream runs]
  virtual void resume(std::uint64_t /*sequence*/) {}
  // Reports that the stream has refused a frame, with this message, and accepts none until resume(). [producer thread]
  virtual void refused(const std::string& /*line*/) {}
  // Sets the policy of the running stream, for the sender. [any thread]
  virtual void set_policy(RingPolicy /*policy*/) {}
  // Sets how to wait for frames that set their own pace. [any thread]
  virtual void set_frame_wait(FrameWait /*wait*/) {}
  // Sets if frames are currently used. [any thread]
  virtual void set_taking(Taking /*taking*/) {}
  // Returns true if frames set their own pace: requesting them at a rate would only delay them. [any thread]
  [[nodiscard]] virtual bool sets_the_pace() const { return false; }

  // Returns this source if it can deliver any frame; else null. [any thread]
  [[nodiscard]] virtual SeekableSource* seekable() { return nullptr; }

  // Counts invalid samples of one frame, as a backend found them: of a scanner, whose frames are not checked before.
  // [any thread]
  virtual void note_invalid(const SampleFaultCount& /*invalid*/) {}
  // Returns this source if a scanner's sender feeds it; else null. [any thread]
  [[nodiscard]] virtual LiveSource* live() { return nullptr; }

  // Returns true if a scanner's description differs from acquisition(). [any thread]
  // follow_description() makes it the current one. [no frame is waited for]
  [[nodiscard]] virtual bool described_again() const { return false; }
  // Returns true if a scanner has no sender and no frame waits: no stream is needed now. [any thread]
  [[nodiscard]] virtual bool sender_gone() const { return false; }
  virtual void follow_description() {}

  // Returns the ticks per second of a scanner's own clock, 0: none; nullopt: no scanner. [no stream starts meanwhile]
  [[nodiscard]] virtual std::optional<double> device_hz() const { return std::nullopt; }

  // Returns memory for slots and kept frames that fetch() fills without a copy; empty: any memory is equivalent.
  // read_ahead_in() then sets memory, e.g. page-locked, for the source's own read-ahead. [any thread]
  virtual FrameMemory allocate(std::size_t /*bytes*/) { return {}; }
  virtual void read_ahead_in(const std::function<FrameMemory(std::size_t)>& /*allocate*/) {}

  // Returns true if fetch() never writes into the slot, so that slots need no memory; such a source is seekable, and
  // delivers any frame again to any thread.
  [[nodiscard]] virtual bool zero_copy() const { return false; }
  // Returns true if it also never waits for a frame to be read.
  [[nodiscard]] virtual bool lends_at_once() const { return zero_copy(); }

  // Returns the memory of frames lent by fetch(), which a backend may page-lock; empty if frames are in slots.
  [[nodiscard]] virtual std::span<const std::byte> zero_copy_memory() const { return {}; }
};

class SeekableSource : public Source {
 public:
  [[nodiscard]] virtual std::uint64_t frame_count() const = 0;  // 0 = endless
  // Returns when frame `index` was acquired, by the scanner's clock, s; nullopt: frames are evenly spaced.
  [[nodiscard]] virtual std::optional<double> recorded_time_s(std::uint64_t /*index*/) const { return std::nullopt; }
  // Returns signals that a phantom makes; null: none. Those of a recording are in Recording::contents.
  [[nodiscard]] virtual SourceContentsPtr contents() const { return nullptr; }

  // Returns frame `index`, as fetch(). Past the last one a recording restarts. [one thread at a time]
  std::span<const std::byte> at(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop = {}) {
    return read(index, slot, stop);
  }
  std::span<const std::byte> at(std::uint64_t index, std::span<std::byte> slot) {
    FrameMemory memory{.bytes = slot, .owner = nullptr, .kind = HostMemory::pageable};
    return read(index, memory, {});
  }
  // Copies frame `index` into memory of its size. Throws Error. [any thread if frames are lent]
  virtual void copy(std::uint64_t index, std::span<std::byte> to);

  std::optional<Arrival> next(const std::stop_token& stop) final;
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& stop) final;
  void resume(std::uint64_t sequence) final;
  [[nodiscard]] SeekableSource* seekable() final { return this; }

 private:
  virtual std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) = 0;

  // Producer thread:
  std::uint64_t next_sequence_ = 0;
  std::uint64_t index_ = 0;  // of the last frame from next()
  bool ended_ = false;       // next() has reported the end, and restarts
};

// Returns the same source, kept alive; null if it is not seekable.
inline std::shared_ptr<SeekableSource> as_seekable(const std::shared_ptr<Source>& source) {
  SeekableSource* const seekable = source->seekable();
  return seekable == nullptr ? nullptr : std::shared_ptr<SeekableSource>(source, seekable);
}

// Recording as a source: its frames in a loop, lent in place, so that a recording in memory is page-locked once and
// never copied on the host. Only a recording that cannot lend its frames (Recording::reader) copies them into the
// slots. [producer thread]

// Owns the recording. Frame `index` of the source is frame index modulo frame_count of the recording. Throws Error if
// the recording has no frame.
std::unique_ptr<SeekableSource> make_replay(Recording recording);

// Source whose frames are checked before any other use (check_samples()): a recording's frames once each, however often
// they are played. Invalid samples become zero: in place if the frame is in a slot, in a copy if the source lends its
// memory. All users of a frame (stream, history, comparison, measuring) therefore get the same samples on every
// backend, and kernels need no checks. [as Source]

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

inline constexpr int kLongPlateau = 4, kManySamples = 16, kManyTimes = 8;
inline constexpr float kLeastLimit = 100.0F;

// Checks a frame of `acquisition`, or some of its transmits, at the speed of memory: one pass, and a second one over
// the few lines that reach an extreme.
[[nodiscard]] SampleFaults check_samples(std::span<const std::byte> samples, const Acquisition& acquisition);
// Copies each line to `copy` and checks that: reads the samples from memory once.
[[nodiscard]] SampleFaults copy_and_check(std::span<const std::byte> samples, std::span<std::byte> copy,
                                          const Acquisition& acquisition);

}  // namespace echoloop
