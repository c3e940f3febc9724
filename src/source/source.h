// Where frames come from: a phantom, a recording, a scanner. A source knows nothing of rings or pacing; the Producer
// (producer.h) asks it for frame after frame, first which frame there is, then, if the ring has a slot for it, for the
// samples: a frame that is dropped costs nothing. Phantoms and recordings are seekable: they give any frame at any
// time, the same index the same samples.
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
#include "core/frame.h"
#include "formats/base/recording.h"

namespace echoloop {

class SeekableSource;
class LiveSource;

// Whether the stream takes frames, or the user has paused it.
enum class Taking { on, paused };

// A frame that the source has.
struct Arrival {
  FrameStamp stamp;                 // acquired_ns is left to the ring
  AcquisitionPtr acquisition = {};  // that this frame is the first of; null: the same as that of the frame before
  bool dropped = false;             // it is counted alone: it came while the stream was stopped
};

class Source {
 public:
  virtual ~Source() = default;

  [[nodiscard]] virtual const AcquisitionPtr& acquisition() const = 0;  // of the next frame
  [[nodiscard]] virtual std::string name() const = 0;                   // "Heart phantom", "PWI_disk.mat"

  // The next frame; nothing at the end, and after it the source begins again, if it can. Waits for a frame until `stop`
  // is requested, and ends the wait with an Error. A frame whose samples were not taken is gone, but for the first one
  // of another acquisition, which comes again. Throws Error when there can be no frame. [producer thread]
  virtual std::optional<Arrival> next(const std::stop_token& stop) = 0;

  // The samples of that frame: in `slot` (acquisition()->frame_bytes() long), in memory of the same size that the
  // source puts in the slot's place, or lent from memory that lives as long as the source. Returns where they are. Once
  // more for the same frame, it is the same samples. Throws Error when they cannot be had (a file that shrank), or when
  // `stop` is requested while they are waited for. [producer thread]
  virtual std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& stop) = 0;

  // The next frame is to be this one, where an earlier stream of the same source ended. [no stream runs]
  virtual void resume(std::uint64_t /*sequence*/) {}
  // The stream has refused a frame, in this line, and takes none until resume(). [producer thread]
  virtual void refused(const std::string& /*line*/) {}
  // The policy of the stream that runs, for a sender that wants to know. [any thread]
  virtual void set_policy(RingPolicy /*policy*/) {}
  // How to wait for frames that come when they come. [any thread]
  virtual void set_frame_wait(FrameWait /*wait*/) {}
  // Whether frames are taken at the moment. [any thread]
  virtual void set_taking(Taking /*taking*/) {}
  // True when frames come when they come: asking for them at a rate would only make them old. [any thread]
  [[nodiscard]] virtual bool sets_the_pace() const { return false; }

  // This source, if it can give any frame; else null. [any thread]
  [[nodiscard]] virtual SeekableSource* seekable() { return nullptr; }

  // This source, if a scanner's sender feeds it; else null. [any thread]
  [[nodiscard]] virtual LiveSource* live() { return nullptr; }

  // A scanner has been described otherwise than acquisition() says. [any thread] That becomes the new one by
  // follow_description(). [no frame is waited for]
  [[nodiscard]] virtual bool described_again() const { return false; }
  // A scanner has no sender, and none of its frames wait: no stream need be made now. [any thread]
  [[nodiscard]] virtual bool sender_gone() const { return false; }
  virtual void follow_description() {}

  // Ticks of a scanner's own clock in a second, 0: it has none; nothing: no scanner. [no stream starts meanwhile]
  [[nodiscard]] virtual std::optional<double> device_hz() const { return std::nullopt; }

  // Memory for slots and kept frames that fetch() gets its frames into without a copy; empty: any memory is as good.
  // Then what the source reads ahead by itself can be in such memory as well, page-locked, say. [any thread]
  virtual FrameMemory allocate(std::size_t /*bytes*/) { return {}; }
  virtual void read_ahead_in(const std::function<FrameMemory(std::size_t)>& /*allocate*/) {}

  // True when fetch() never writes into the slot, so that slots need no memory; such a source is seekable, and gives
  // any frame again to any thread.
  [[nodiscard]] virtual bool zero_copy() const { return false; }
  // And never waits for a frame to be read.
  [[nodiscard]] virtual bool lends_at_once() const { return zero_copy(); }

  // Memory whose frames fetch() gives in place; a backend may page-lock it. Empty when frames are written into slots.
  [[nodiscard]] virtual std::span<const std::byte> zero_copy_memory() const { return {}; }
};

class SeekableSource : public Source {
 public:
  [[nodiscard]] virtual std::uint64_t frame_count() const = 0;  // 0 = endless
  // When frame `index` was acquired, by the scanner's clock, s; nothing: frames are evenly spaced.
  [[nodiscard]] virtual std::optional<double> recorded_time_s(std::uint64_t /*index*/) const { return std::nullopt; }

  // Frame `index`, as fetch() gives it. Beyond the last one a recording begins again. [one thread at a time]
  std::span<const std::byte> at(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop = {}) {
    return read(index, slot, stop);
  }
  std::span<const std::byte> at(std::uint64_t index, std::span<std::byte> slot) {
    FrameMemory memory{.bytes = slot, .owner = nullptr, .kind = HostMemory::pageable};
    return read(index, memory, {});
  }
  // Frame `index` into memory of its size. Throws Error. [any thread where frames are lent]
  virtual void copy(std::uint64_t index, std::span<std::byte> to);

  std::optional<Arrival> next(const std::stop_token& stop) final;
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& stop) final;
  void resume(std::uint64_t sequence) final;
  [[nodiscard]] SeekableSource* seekable() final { return this; }

 private:
  virtual std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) = 0;

  // Producer thread:
  std::uint64_t next_sequence_ = 0;
  std::uint64_t index_ = 0;  // of the frame that next() gave
  bool ended_ = false;       // next() has said so, and begins again
};

// The same source, kept alive; null where it is not seekable.
inline std::shared_ptr<SeekableSource> as_seekable(const std::shared_ptr<Source>& source) {
  SeekableSource* const seekable = source->seekable();
  return seekable == nullptr ? nullptr : std::shared_ptr<SeekableSource>(source, seekable);
}

// A recording as a source: its frames, one after another and then from the start again, lent where they lie.
// Why: a recording in memory is page-locked once and never copied on the host. Only a recording that cannot lend its
// frames (Recording::reader) has them put into the slots. [producer thread]

// Takes the recording over. Frame `index` of the source is frame index modulo frame_count of the recording. Throws
// Error when the recording holds no frame.
std::unique_ptr<SeekableSource> make_replay(Recording recording);

}  // namespace echoloop
