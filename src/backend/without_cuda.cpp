// Message of a program built without CUDA when a CUDA backend is requested. Empty in a build with CUDA.
#include "backend/backend.h"

#if !defined(ECHO_HAVE_CUDA)

namespace echoloop {

std::unique_ptr<Backend> make_cuda_backend(std::string& why_not) {
  why_not = "this program was built without CUDA";
  return nullptr;
}

}  // namespace echoloop

#endif
