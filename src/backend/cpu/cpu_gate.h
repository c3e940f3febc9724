// A gate's sums on the CPU: a loop over its few pixels, at once.
#pragma once

#include <array>
#include <cstddef>

#include "backend/gate_device.h"

namespace echoloop {

class CpuGateDevice final : public GateDevice {
 public:
  bool take(const GateGeometry& gate, const PixelView& pixels) override;
  std::span<const Complex> next() override;
  void wait() override {}

 private:
  std::array<Complex, kMaxGateBands> sums_{};
  std::size_t there_ = 0;  // bands of sums_ that nobody has had
};

}  // namespace echoloop
