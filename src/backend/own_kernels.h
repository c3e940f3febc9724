// Method of the user on a GPU: its file, compiled for the device while the program runs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/own_method.h"

namespace echoloop {

// Compiled kernels. Any thread.
class OwnKernels {
 public:
  virtual ~OwnKernels() = default;
  [[nodiscard]] virtual const std::vector<OwnParameter>& parameters() const = 0;
  [[nodiscard]] virtual bool replaces() const = 0;  // its pixels are no delay-and-sum
  [[nodiscard]] virtual OwnRows rows() const = 0;   // above and below a pixel that it reads
  // Why the method is no longer called; empty: it is.
  [[nodiscard]] virtual std::string fault() const = 0;
  // Of the kernel in use: registers of a thread, and bytes of them in memory instead.
  [[nodiscard]] virtual int registers() const = 0;
  [[nodiscard]] virtual int spilled_bytes() const = 0;
};

struct OwnKernelSource {
  std::filesystem::path file;     // in messages; its folder has the files that it includes
  std::string text;               // of the file
  std::filesystem::path headers;  // folder of the program's headers
  int gpu = 0;                    // -1: none, for a compilation alone
};

struct OwnKernelCode {
  std::string machine_code;  // empty: not compiled
  std::string log;           // the compiler's lines
};

#if defined(ECHO_HAVE_CUDA)
// Returns why own methods cannot be compiled for a GPU here; empty: they can. Loads the compiler (NVRTC).
std::string why_no_own_kernels();
// Takes up to a second. Throws Error: no compiler, no device. Any thread.
OwnKernelCode compile_own_kernels(const OwnKernelSource& source);
// Makes the kernels of compiled code ready on the device. Throws Error, CudaError. Any thread.
std::shared_ptr<const OwnKernels> load_own_kernels(const OwnKernelSource& source, const std::string& machine_code);
#else
inline std::string why_no_own_kernels() { return "this build has no CUDA"; }
inline OwnKernelCode compile_own_kernels(const OwnKernelSource& /*source*/) { return {}; }
inline std::shared_ptr<const OwnKernels> load_own_kernels(const OwnKernelSource& /*source*/,
                                                          const std::string& /*machine_code*/) {
  return nullptr;
}
#endif

}  // namespace echoloop
