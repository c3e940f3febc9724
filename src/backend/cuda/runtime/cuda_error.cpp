#include "backend/cuda/runtime/cuda_error.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "backend/backend.h"

namespace echoloop::cuda {
namespace {

std::atomic<cudaError_t> loss{cudaSuccess};  // the first sticky error

// Returns true for errors after which, by the runtime's manual, the process must be restarted.
bool is_sticky(cudaError_t status) {
  static constexpr cudaError_t kSticky[] = {
    cudaErrorECCUncorrectable,
    cudaErrorNvlinkUncorrectable,
    cudaErrorIllegalAddress,
    cudaErrorLaunchTimeout,
    cudaErrorContextIsDestroyed,
    cudaErrorAssert,
    cudaErrorHardwareStackError,
    cudaErrorIllegalInstruction,
    cudaErrorMisalignedAddress,
    cudaErrorInvalidAddressSpace,
    cudaErrorInvalidPc,
    cudaErrorLaunchFailure,
#if CUDART_VERSION >= 13000
    cudaErrorContained,
    cudaErrorTensorMemoryLeak,
#endif
    cudaErrorMpsClientTerminated,
    cudaErrorExternalDevice
  };
  return std::ranges::find(kSticky, status) != std::end(kSticky);
}

// Messages have the file name without the build folder.
std::string message(std::string_view file, int line, const char* call, const std::string& name,
                    const std::string& text) {
  file.remove_prefix(std::min(file.size(), file.find_last_of("/\\") + 1));
  return std::string(file) + ":" + std::to_string(line) + ": " + call + ": " + name + " (" + text + ")";
}

const char* cufft_name(cufftResult status) {
  static constexpr std::pair<cufftResult, const char*> kNames[] = {
      {CUFFT_INVALID_PLAN, "CUFFT_INVALID_PLAN"},   {CUFFT_ALLOC_FAILED, "CUFFT_ALLOC_FAILED"},
      {CUFFT_INVALID_VALUE, "CUFFT_INVALID_VALUE"}, {CUFFT_INTERNAL_ERROR, "CUFFT_INTERNAL_ERROR"},
      {CUFFT_EXEC_FAILED, "CUFFT_EXEC_FAILED"},     {CUFFT_SETUP_FAILED, "CUFFT_SETUP_FAILED"},
      {CUFFT_INVALID_SIZE, "CUFFT_INVALID_SIZE"},   {CUFFT_NO_WORKSPACE, "CUFFT_NO_WORKSPACE"}};
  const auto* const found = std::ranges::find(kNames, status, &std::pair<cufftResult, const char*>::first);
  return found != std::end(kNames) ? found->second : "cuFFT error";
}

[[noreturn]] void throw_no_memory(const char* call) {
  std::size_t free = 0, total = 0;
  static_cast<void>(succeeded_quietly(cudaMemGetInfo(&free, &total)));
  const std::string accepted = total == 0 ? "free memory"
                                          : "at most " + std::to_string(free >> 20) + " MiB of " +
                                                std::to_string(total >> 20) + " MiB, which is free";
  throw NoDeviceMemory("the CUDA device", std::string("too little memory for ") + call, accepted,
                       "use fewer lanes, pixels or transmits, end other programs on the device, or use --backend cpu");
}

}  // namespace

bool device_lost() noexcept { return loss.load(std::memory_order_relaxed) != cudaSuccess; }

void note_loss(cudaError_t status) noexcept {
  cudaError_t none = cudaSuccess;
  if (is_sticky(status)) loss.compare_exchange_strong(none, status, std::memory_order_relaxed);
}

std::string loss_text() {
  const cudaError_t first = loss.load(std::memory_order_relaxed);
  return std::string("the CUDA device failed (") + cudaGetErrorName(first) + ", " + cudaGetErrorString(first) +
         "): restart the program to use the device again";
}

void throw_cuda(cudaError_t status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  note_loss(status);
  if (status == cudaErrorMemoryAllocation) throw_no_memory(call);
  throw CudaError(message(file, line, call, cudaGetErrorName(status), cudaGetErrorString(status)));
}

void throw_cufft(cufftResult status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  // cuFFT does not report a lost device: queries the runtime, which answers at once.
  static_cast<void>(succeeded_quietly(cudaStreamQuery(cudaStreamLegacy)));
  if (status == CUFFT_ALLOC_FAILED && !device_lost()) throw_no_memory(call);
  const std::string text = "cuFFT result " + std::to_string(static_cast<int>(status));
  throw CudaError(message(file, line, call, cufft_name(status), device_lost() ? text + "; " + loss_text() : text));
}

}  // namespace echoloop::cuda
