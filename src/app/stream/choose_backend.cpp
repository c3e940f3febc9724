#include "app/stream/choose_backend.h"

#include "core/error.h"

namespace echoloop {
ChosenBackend choose_backend(BackendChoice choice) {
  if (choice == BackendChoice::cpu) return {make_cpu_backend(), {}};
  std::string why_not;
  if (auto cuda = make_cuda_backend(why_not)) return {std::move(cuda), {}};
  if (choice == BackendChoice::cuda) {
    throw Error("--backend cuda", why_not, "a CUDA device and driver", "--backend auto falls back to the CPU");
  }
  return {make_cpu_backend(), "Using the CPU: " + why_not};
}

}  // namespace echoloop
