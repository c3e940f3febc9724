#include "backend/cuda/cuda_error.h"

#include <algorithm>
#include <string_view>

namespace echoloop::cuda {
namespace {

// Where the source lay when it was compiled is nobody's business: the file's own name is enough to find the line.
std::string message(std::string_view file, int line, const char* call, const std::string& name,
                    const std::string& text) {
  file.remove_prefix(std::min(file.size(), file.find_last_of("/\\") + 1));
  return std::string(file) + ":" + std::to_string(line) + ": " + call + ": " + name + " (" + text + ")";
}

const char* cufft_name(cufftResult status) {
  switch (status) {
    case CUFFT_INVALID_PLAN:
      return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    case CUFFT_NO_WORKSPACE:
      return "CUFFT_NO_WORKSPACE";
    default:
      return "cuFFT error";
  }
}

}  // namespace

CudaError::CudaError(const char* file, int line, const char* call, const std::string& name, const std::string& text)
    : std::runtime_error(message(file, line, call, name, text)) {}

void throw_cuda(cudaError_t status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  throw CudaError(file, line, call, cudaGetErrorName(status), cudaGetErrorString(status));
}

void throw_cufft(cufftResult status, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  throw CudaError(file, line, call, cufft_name(status), "cuFFT result " + std::to_string(static_cast<int>(status)));
}

}  // namespace echoloop::cuda
