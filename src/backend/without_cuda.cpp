// What a program built without CUDA says when it is asked for a CUDA backend. Empty in a build with CUDA.
#include "backend/backend.h"

#if !defined(ECHO_HAVE_CUDA)

namespace echoloop {

std::unique_ptr<Backend> make_cuda_backend(std::string& why_not) {
  why_not = "this program was built without CUDA";
  return nullptr;
}

}  // namespace echoloop

#endif
