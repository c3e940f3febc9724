// Memory of a device that another process opens (CUDA IPC): plain allocations, since those in stream order cannot be
// shared in this way. Processing thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "backend/cuda/kernels/exchange.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "backend/own_process.h"
#include "core/results/image.h"

namespace echoloop::cuda {

class CudaSharedMemory final : public SharedDeviceMemory {
 public:
  // Throws CudaError: no memory, or no IPC on this system.
  CudaSharedMemory(std::shared_ptr<Context> context, std::size_t in_bytes, std::size_t out_bytes);
  ~CudaSharedMemory() override;
  CudaSharedMemory(const CudaSharedMemory&) = delete;
  CudaSharedMemory& operator=(const CudaSharedMemory&) = delete;

  [[nodiscard]] const Names& names() const override { return names_; }
  [[nodiscard]] std::span<std::byte> in() override { return {in_.get(), names_.in_bytes}; }
  void follow(const std::array<std::byte, 64>& event) override;
  // Notes an answer with values that are no finite numbers, which was not used. After the frame.
  void note_wrong(Image& image, OwnProcess& process);

  // Makes `memory` at least so large. Returns null where there is none, or no IPC: from then on.
  static CudaSharedMemory* fit(std::unique_ptr<CudaSharedMemory>& memory, const std::shared_ptr<Context>& context,
                               std::size_t in_bytes, std::size_t out_bytes);
  void mark_filled();  // after what is queued so far
  // Queue the use of the answer: n pixels, n levels.
  void take_pixels(OwnResult result, std::size_t n, Complex* to);
  void take_levels(std::size_t n, float* to);

 private:
  [[nodiscard]] AnswerCheck check() const {
    return {.wrong = reinterpret_cast<unsigned*>(wrong_.get()), .seen = seen_.as<unsigned>()};
  }
  std::shared_ptr<Context> context_;
  Names names_;
  struct Free {
    void operator()(std::byte* memory) const { CUDA_QUIET(cudaFree(memory)); }
  };
  using Piece = std::unique_ptr<std::byte, Free>;
  [[nodiscard]] static Piece allocate(std::size_t bytes);
  Piece in_, out_, wrong_;
  ReadbackBuffer seen_;
  cudaEvent_t filled_ = nullptr;
  std::map<std::array<std::byte, 64>, cudaEvent_t> opened_;  // events of the other process
};

}  // namespace echoloop::cuda
