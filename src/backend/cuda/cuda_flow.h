// Sums of a gate on the GPU: one small kernel per frame on the processing stream writes them into page-locked host
// memory; an event per frame marks their completion. Nothing waits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/flow_device.h"

namespace echoloop::cuda {

class CudaGateDevice final : public GateDevice {
 public:
  explicit CudaGateDevice(std::shared_ptr<Context> context);
  ~CudaGateDevice() override;
  CudaGateDevice(const CudaGateDevice&) = delete;
  CudaGateDevice& operator=(const CudaGateDevice&) = delete;

  bool take(const GateGeometry& gate, const PixelView& pixels) override;
  std::span<const Complex> next() override;
  void wait() override;

 private:
  static constexpr std::size_t kSlots = 32;  // far more frames than lanes hold
  struct Slot {
    Event there{EventUse::order};
    int bands = 0;
  };

  std::shared_ptr<Context> context_;  // first: freed last
  std::array<Slot, kSlots> slots_;
  Complex* host_ = nullptr;    // [kSlots][kMaxGateBands]
  Complex* device_ = nullptr;  // device address of the same memory
  std::uint64_t taken_ = 0;
  std::uint64_t returned_ = 0;
};

}  // namespace echoloop::cuda
