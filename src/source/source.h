// Where frames come from: a phantom or a recording. A source knows nothing of pacing, rings or threads' timing;
// the Producer (producer.h) asks it for frame after frame. Sources are deterministic: the same index, the same samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "core/acquisition.h"
#include "core/frame.h"

namespace echoloop {

class Source {
 public:
  virtual ~Source() = default;

  [[nodiscard]] virtual const AcquisitionPtr& acquisition() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;           // "Heart phantom", "PWI_disk.mat"
  [[nodiscard]] virtual std::uint64_t frame_count() const = 0;  // 0 = endless

  // Frame `index`: written into `slot` (acquisition().frame_bytes() long) or lent from memory that lives as long as the
  // source. Returns where it is. Throws Error when the frame cannot be had (a file that shrank). [producer thread]
  virtual std::span<const std::byte> produce(std::uint64_t index, std::span<std::byte> slot) = 0;

  // As produce(), but the source may put other memory of the same size, which holds the frame, in the slot's place. A
  // source that waits for the frame ends the wait with an Error when `stop` is requested.
  virtual std::span<const std::byte> produce_in(std::uint64_t index, FrameMemory& slot,
                                                const std::stop_token& /*stop*/ = {}) {
    return produce(index, slot.bytes);
  }

  // Memory for slots and kept frames that produce_in() gets its frames into without a copy; empty: any memory is as
  // good. Then what the source reads ahead by itself can be in such memory as well, page-locked, say. [any thread]
  virtual FrameMemory allocate(std::size_t /*bytes*/) { return {}; }
  virtual void read_ahead_in(const std::function<FrameMemory(std::size_t)>& /*allocate*/) {}

  // True when produce() never writes into the slot, so that slots need no memory; such a source gives any frame again,
  // to any thread.
  [[nodiscard]] virtual bool lends_frames() const { return false; }

  // Memory whose frames produce() lends in place; a backend may page-lock it. Empty when frames are written into slots.
  [[nodiscard]] virtual std::span<const std::byte> lendable_memory() const { return {}; }
};

}  // namespace echoloop
