// The computing device: what the user asked for, or CUDA where it works and the CPU otherwise, said once.
#pragma once

#include <memory>
#include <string>

#include "app/options/options.h"
#include "backend/backend.h"

namespace echoloop {

struct ChosenBackend {
  std::unique_ptr<Backend> backend;
  std::string note;  // why not CUDA, in one line; empty when there is nothing to say
};

// Throws Error when CUDA was asked for and cannot be had.
ChosenBackend choose_backend(BackendChoice choice);

}  // namespace echoloop
