// Kernels of own methods: kernels/own_method.cuh with the user's file, compiled by NVRTC for each choice of the
// channels that a method compares, when it is first used.
#pragma once

#include <cuda.h>

#include <array>
#include <initializer_list>
#include <mutex>

#include "backend/cuda/runtime/own_declared.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/own_kernels.h"

namespace echoloop::cuda {

// Of own_method.cuh: all of a pixel; of a method that reads rows, what is kept of a pixel's row, then the pixel.
enum class OwnKernel { pixels, store, rows };

struct OwnLaunch {
  OwnKernel kernel;
  AdaptiveAxis axis;
  AdaptiveOrder order;
  int nx, nz;
};

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
  [[nodiscard]] OwnRows rows() const override { return rows_; }
  [[nodiscard]] std::string fault() const override;
  [[nodiscard]] int registers() const override;
  [[nodiscard]] int spilled_bytes() const override;

  // Compiles the kernel of these channels unless there is one.
  void prepare(AdaptiveAxis axis, AdaptiveOrder order) const;
  // arguments: of the kernel but the last, `invalid`. Throws CudaError. Lane's thread.
  void launch(const OwnLaunch& what, std::initializer_list<void*> arguments, StreamView stream) const;
  // Of a method that reads rows. Waits for the GPU. Throws CudaError. Lane's thread.
  [[nodiscard]] RowSizes row_sizes(const MethodSettings& settings, int n_el) const;

 private:
  struct Kernel {
    CUmodule module = nullptr;
    std::array<CUfunction, 3> entries{};  // by OwnKernel
    int registers = 0, spilled_bytes = 0;
  };
  static void describe(Kernel& k, OwnKernel which);
  [[nodiscard]] Kernel load(const std::string& code) const;
  const Kernel& kernel(AdaptiveAxis axis, AdaptiveOrder order) const;  // under mutex_
  // Runs a kernel of one thread that fills a value.
  template <class Value>
  Value ask(const char* name, std::initializer_list<void*> arguments) const;

  OwnKernelSource source_;
  std::vector<OwnParameter> parameters_;
  bool replaces_ = false;
  OwnRows rows_ = OwnRows::none;
  int* invalid_ = nullptr;  // mapped host memory: set by a pixel that is no number
  mutable std::mutex mutex_;
  mutable std::array<Kernel, 6> kernels_;  // under mutex_
  mutable int in_use_ = 0;                 // under mutex_
};

}  // namespace echoloop::cuda
