#include "backend/cuda/runtime/toolkit_library.h"

#include <dlfcn.h>

#include <utility>

#include "core/error.h"

namespace echoloop::cuda {
namespace {

// Folder of NVIDIA's installers; the system's own folders come first.
constexpr const char* kToolkitFolder = "/usr/local/cuda/lib64/";

}  // namespace

ToolkitLibrary::ToolkitLibrary(std::string needed_for, const std::string& name, int major, std::string remedy)
    : needed_for_(std::move(needed_for)), remedy_(std::move(remedy)) {
  const std::string file = "lib" + name + ".so." + std::to_string(major);
  for (const std::string& place : {file, kToolkitFolder + file}) {
    library_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ != nullptr) return;
  }
  throw Error(needed_for_, file + " was not found", "the library " + name + " of the CUDA toolkit", remedy_);
}

void* ToolkitLibrary::symbol(const char* name) const {
  void* const found = dlsym(library_, name);
  if (found == nullptr)
    throw Error(needed_for_, std::string("the function ") + name + " was not found",
                "another release of the CUDA toolkit", remedy_);
  return found;
}

}  // namespace echoloop::cuda
