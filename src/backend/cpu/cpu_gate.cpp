#include "backend/cpu/cpu_gate.h"

#include <utility>

namespace echoloop {

bool CpuGateDevice::take(const GateGeometry& gate, const PixelView& pixels) {
  if (there_ > 0) return false;
  there_ = static_cast<std::size_t>(gate.bands);
  for (int band = 0; band < gate.bands; ++band) {
    Complex sum{0.0f, 0.0f};
    for (int row = 0; row < gate.rows; ++row) {
      const long long at = gate.first + static_cast<long long>(row) * gate.stride;
      sum = sum + gate_term(gate, band, row, pixels.values[at]);
    }
    sums_[static_cast<std::size_t>(band)] = sum;
  }
  return true;
}

std::span<const Complex> CpuGateDevice::next() { return {sums_.data(), std::exchange(there_, 0)}; }

}  // namespace echoloop
