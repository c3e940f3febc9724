// Libraries of the CUDA toolkit that are loaded when they are first needed.
#pragma once

#include <string>

namespace echoloop::cuda {

// Shared library of the CUDA toolkit, opened when first needed: hundreds of megabytes, which other machines may lack
// and which would delay a program that only shows images. [any thread]
class ToolkitLibrary {
 public:
  // needed_for, remedy: first and last words of the error. Throws Error if the library of the headers' release is not
  // installed; never closed.
  ToolkitLibrary(std::string needed_for, const std::string& name, int major, std::string remedy);

  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;  // throws Error if missing
  std::string needed_for_, remedy_;
  void* library_ = nullptr;
};

}  // namespace echoloop::cuda
