// A method that the user has written and what it declares: a file, compiled by app/own_builder.h, or a function of
// another process (app/outputs/method_server.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"

namespace echoloop {

// Parameter of an own method: own.NAME in --set and in files, in the file's own unit.
struct OwnParameter {
  std::string name, unit, help;
  double min = 0.0, max = 0.0, value = 0.0;  // value: the default
};

class OwnCode;     // of the CPU, backend/cpu/cpu_steps.h
class OwnKernels;  // of a GPU, backend/own_kernels.h
class OwnProcess;  // backend/own_process.h

struct OwnMethod {
  std::string name;            // of the file, without ending, or of the function
  std::filesystem::path file;  // absolute; empty: a function of another process
  std::string source;
  std::string sha256;  // of the source, 64 hexadecimal digits
  std::vector<OwnParameter> parameters;
  std::vector<std::string> labels;            // of its mask, which leaves the pixels as they are; empty: it has none
  bool replaces = false;                      // its pixels are no delay-and-sum
  OwnRows rows = OwnRows::none;               // above and below a pixel that it reads
  std::shared_ptr<const OwnCode> code;        // null: compiled for a GPU
  std::shared_ptr<const OwnKernels> kernels;  // null: compiled for the CPU
  std::shared_ptr<OwnProcess> process;        // null: compiled here
};

// Name of a function of another process in --method: python:NAME.
inline constexpr std::string_view kPythonMethod = "python:";
// Returns the value of --method for this one.
std::string option_of(const OwnMethod& method);

// The method in use by parameters that name none: of --method, or the one that the window has compiled last. One a
// process; null: none. Any thread.
std::shared_ptr<const OwnMethod> loaded_own_method();
void load_own_method(std::shared_ptr<const OwnMethod> method);

// Returns true if a method is in use that makes a mask and leaves the pixels as delay-and-sum makes them.
[[nodiscard]] bool makes_mask(const FormationParams& params);

// Sets the method, with the values that a method before it had for parameters of the same names, otherwise the
// defaults.
void set_own_method(FormationParams& params, const std::shared_ptr<const OwnMethod>& method);
// Sets a parameter from its key, own.NAME, and text. Throws Error: no such parameter, not a number, out of range.
void set_own_value(FormationParams& params, const std::string& key, const std::string& text);
// Returns own.NAME=VALUE of each parameter; empty unless the method is in use.
std::vector<std::string> own_settings(const FormationParams& params);

// Returns the SHA-256 of the bytes, 64 hexadecimal digits (FIPS 180-4).
std::string sha256(std::string_view bytes);

}  // namespace echoloop
