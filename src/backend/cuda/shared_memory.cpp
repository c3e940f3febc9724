#include "backend/cuda/shared_memory.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace echoloop::cuda {
namespace {

std::atomic<std::uint64_t> made{0};

template <class Handle>
std::array<std::byte, 64> bytes_of(const Handle& handle) {
  static_assert(sizeof(Handle) == 64);
  std::array<std::byte, 64> bytes;
  std::memcpy(bytes.data(), &handle, sizeof handle);
  return bytes;
}

std::array<std::byte, 64> name_of(std::byte* memory) {
  cudaIpcMemHandle_t handle;
  CUDA_CHECK(cudaIpcGetMemHandle(&handle, memory));
  return bytes_of(handle);
}

}  // namespace

CudaSharedMemory::Piece CudaSharedMemory::allocate(std::size_t bytes) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, bytes));
  return Piece(static_cast<std::byte*>(memory));
}

CudaSharedMemory::CudaSharedMemory(std::shared_ptr<Context> context, std::size_t in_bytes, std::size_t out_bytes)
    : context_(std::move(context)),
      in_(allocate(in_bytes)),
      out_(allocate(out_bytes)),
      wrong_(allocate(sizeof(unsigned))) {
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  seen_.grow(sizeof(unsigned));
  *seen_.as<unsigned>() = 0;
  CUDA_CHECK(cudaEventCreateWithFlags(&filled_, cudaEventDisableTiming | cudaEventInterprocess));
  cudaIpcEventHandle_t filled;
  CUDA_CHECK(cudaIpcGetEventHandle(&filled, filled_));
  names_ = {.id = ++made,
            .device = static_cast<std::uint32_t>(device),
            .in_bytes = in_bytes,
            .out_bytes = out_bytes,
            .in = name_of(in_.get()),
            .out = name_of(out_.get()),
            .filled = bytes_of(filled)};
}

CudaSharedMemory::~CudaSharedMemory() {
  context_->processing.view().synchronize_quietly();
  for (const auto& [name, event] : opened_) CUDA_QUIET(cudaEventDestroy(event));
  CUDA_QUIET(cudaEventDestroy(filled_));
}

void CudaSharedMemory::mark_filled() { CUDA_CHECK(cudaEventRecord(filled_, context_->processing.view().get())); }

void CudaSharedMemory::follow(const std::array<std::byte, 64>& name) {
  auto at = opened_.find(name);
  if (at == opened_.end()) {
    cudaIpcEventHandle_t handle;
    std::memcpy(&handle, name.data(), sizeof handle);
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaIpcOpenEventHandle(&event, handle));
    constexpr std::size_t kMost = 16;  // of programs that came and went
    if (opened_.size() >= kMost) {
      for (const auto& [old, gone] : opened_) CUDA_QUIET(cudaEventDestroy(gone));
      opened_.clear();
    }
    at = opened_.emplace(name, event).first;
  }
  CUDA_CHECK(cudaStreamWaitEvent(context_->processing.view().get(), at->second, 0));
}

CudaSharedMemory* CudaSharedMemory::fit(std::unique_ptr<CudaSharedMemory>& memory,
                                        const std::shared_ptr<Context>& context, std::size_t in_bytes,
                                        std::size_t out_bytes) {
  static std::atomic<bool> impossible{false};
  if (memory != nullptr && memory->names_.in_bytes >= in_bytes && memory->names_.out_bytes >= out_bytes)
    return memory.get();
  memory.reset();
  if (impossible) return nullptr;
  try {
    memory = std::make_unique<CudaSharedMemory>(context, in_bytes, out_bytes);
  } catch (const CudaError&) {
    static_cast<void>(cudaGetLastError());  // noted as one by the runtime
    impossible = true;
  }
  return memory.get();
}

void CudaSharedMemory::take_pixels(OwnResult result, std::size_t n, Complex* to) {
  const StreamView stream = context_->processing.view();
  if (result == OwnResult::amplitudes)
    take_amplitudes(reinterpret_cast<const float*>(out_.get()), n, to, check(), stream);
  else
    cuda::take_pixels(reinterpret_cast<const Complex*>(out_.get()), n, to, check(), stream);
}

void CudaSharedMemory::take_levels(std::size_t n, float* to) {
  cuda::take_levels(reinterpret_cast<const float*>(out_.get()), n, to, check(), context_->processing.view());
}

void CudaSharedMemory::note_wrong(Image& image, OwnProcess& process) {
  volatile unsigned* const seen = seen_.as<unsigned>();
  const unsigned wrong = *seen;
  if (wrong == 0) return;
  *seen = 0;
  image.own_missing = true;
  process.refuse(wrong);
}

}  // namespace echoloop::cuda
