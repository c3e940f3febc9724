// Kernels of own methods: kernels/own_method.cuh with the user's file, compiled by NVRTC for each choice of the
// channels that a method compares, when it is first used.
#pragma once

#include <cuda.h>

#include <array>
#include <mutex>

#include "backend/cuda/runtime/own_declared.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/own_kernels.h"

namespace echoloop::cuda {

class CudaOwnKernels final : public OwnKernels {
 public:
  static constexpr int kRows = 8, kBlocksPerSm = 3;  // of a block; limits registers to 85

  // machine_code: of the source, for all elements and each transmit.
  CudaOwnKernels(OwnKernelSource source, const std::string& machine_code);
  ~CudaOwnKernels() override;
  CudaOwnKernels(const CudaOwnKernels&) = delete;
  CudaOwnKernels& operator=(const CudaOwnKernels&) = delete;

  [[nodiscard]] const std::vector<OwnParameter>& parameters() const override { return parameters_; }
  [[nodiscard]] bool replaces() const override { return replaces_; }
  [[nodiscard]] std::string fault() const override;
  [[nodiscard]] int registers() const override;
  [[nodiscard]] int spilled_bytes() const override;

  // Compiles the kernel of these channels unless there is one.
  void prepare(AdaptiveAxis axis, AdaptiveOrder order) const;
  // arguments: of own_pixels() but the last, `invalid`. Throws CudaError. Lane's thread.
  void launch(AdaptiveAxis axis, AdaptiveOrder order, int nx, int nz, std::array<void*, 6> arguments,
              StreamView stream) const;

 private:
  struct Kernel {
    CUmodule module = nullptr;
    CUfunction pixels = nullptr;
    int registers = 0, spilled_bytes = 0;
  };
  [[nodiscard]] Kernel load(const std::string& code) const;
  const Kernel& kernel(AdaptiveAxis axis, AdaptiveOrder order) const;  // under mutex_
  void describe(CUmodule module);

  OwnKernelSource source_;
  std::vector<OwnParameter> parameters_;
  bool replaces_ = false;
  int* invalid_ = nullptr;  // mapped host memory: set by a pixel that is no number
  mutable std::mutex mutex_;
  mutable std::array<Kernel, 6> kernels_;  // under mutex_
  mutable int in_use_ = 0;                 // under mutex_
};

}  // namespace echoloop::cuda
