// Every call of the CUDA runtime and of cuFFT goes through one of these: a failure becomes an exception that says
// where. Why clear first: the runtime keeps its last error; a later launch check must not report it a second time.
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

// True once a call returned a sticky error: a kernel or the hardware failed in a way that took the context with it, and
// every later call fails. The program uses one device, so there is one answer; nothing but its end changes it.
// [any thread]
[[nodiscard]] bool device_lost() noexcept;
// Notes a sticky error; other results change nothing. [any thread]
void note_loss(cudaError_t status) noexcept;
// What to say when something is still wanted from a lost device; names the first sticky error. [any thread]
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

// For destructors: at the program's end the runtime may be gone (cudaErrorCudartUnloading), after a sticky error every
// call fails; the call that caused that has reported it already. True when the call succeeded.
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
// After every kernel launch; `kernel` is a name for the message.
#define CUDA_CHECK_LAUNCH(kernel) ::echoloop::cuda::check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)
