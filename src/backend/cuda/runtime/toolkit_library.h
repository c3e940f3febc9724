// A shared library of the CUDA toolkit, opened when it is first needed: hundreds of megabytes, which other machines
// may lack and which keep a program that only looks at images waiting. [any thread]
#pragma once

#include <string>

namespace echoloop::cuda {

class ToolkitLibrary {
 public:
  // needed_for, remedy: the first and the last words of the error. Throws Error where the library of this release,
  // the one that the headers belong to, is not installed; never closed.
  ToolkitLibrary(std::string needed_for, const std::string& name, int major, std::string remedy);

  template <class Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;  // throws Error where it is missing
  std::string needed_for_, remedy_;
  void* library_ = nullptr;
};

}  // namespace echoloop::cuda
