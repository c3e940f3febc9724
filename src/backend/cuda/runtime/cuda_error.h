// Checks of all calls of the CUDA runtime and cuFFT: a failure becomes an exception with its location. The runtime's
// last error is cleared first, so that a later launch check does not report it again.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <stdexcept>
#include <string>

namespace echoloop::cuda {

// One line: file:line: call: NAME (text).
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns true once a call returned a sticky error: a kernel or the hardware failed and destroyed the context, so that
// every later call fails. The program uses one device, and the state is final. [any thread]
[[nodiscard]] bool device_lost() noexcept;
// Notes a sticky error; ignores other results. [any thread]
void note_loss(cudaError_t status) noexcept;
// Returns the message for calls after the loss of the device, with the first sticky error. [any thread]
[[nodiscard]] std::string loss_text();

[[noreturn]] void throw_cuda(cudaError_t status, const char* call, const char* file, int line);
[[noreturn]] void throw_cufft(cufftResult status, const char* call, const char* file, int line);

inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess) [[unlikely]]
    throw_cuda(status, call, file, line);
}

inline void check(cufftResult status, const char* call, const char* file, int line) {
  if (status != CUFFT_SUCCESS) [[unlikely]]
    throw_cufft(status, call, file, line);
}

// For destructors: at the program's end the runtime may be gone (cudaErrorCudartUnloading), and after a sticky error,
// already reported, every call fails. Returns true if the call succeeded.
inline bool succeeded_quietly(cudaError_t status) noexcept {
  if (status == cudaSuccess) return true;
  note_loss(status);
  if (status != cudaErrorCudartUnloading) static_cast<void>(cudaGetLastError());
  return false;
}

}  // namespace echoloop::cuda

#define CUDA_CHECK(call) ::echoloop::cuda::check((call), #call, __FILE__, __LINE__)
#define CUFFT_CHECK(call) ::echoloop::cuda::check((call), #call, __FILE__, __LINE__)
#define CUDA_QUIET(call) static_cast<void>(::echoloop::cuda::succeeded_quietly(call))
// Use after every kernel launch; `kernel` is a name for the message.
#define CUDA_CHECK_LAUNCH(kernel) ::echoloop::cuda::check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)
