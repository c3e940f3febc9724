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

#include "core/acquisition.h"
#include "core/ecg.h"
#include "core/frame.h"
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
  [[nodiscard]] virtual EcgPtr ecg() const { return nullptr; }

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

}  // namespace echoloop
