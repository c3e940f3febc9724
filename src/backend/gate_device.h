// What a computing device does for a Doppler gate: of each beamformed frame, the few sums of dsp/gate.h. Processing
// thread only; nothing waits but wait().
#pragma once

#include <span>

#include "backend/backend.h"
#include "dsp/gate.h"

namespace echoloop {

class GateDevice {
 public:
  virtual ~GateDevice() = default;

  // Takes the frame's sums; false: too many are on their way already, and this frame's are not taken.
  virtual bool take(const GateGeometry& gate, const PixelView& pixels) = 0;

  // The sums of the oldest frame taken and not yet returned, [bands]; empty: there is none, or not yet. Valid until the
  // next take().
  virtual std::span<const Complex> next() = 0;

  virtual void wait() = 0;  // until all that were taken are there
};

}  // namespace echoloop
