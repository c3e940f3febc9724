// Compiles the file of an own method (dsp/methods/own.h): for the CPU with the system's C++ compiler, for a GPU with
// CUDA's run-time compiler.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/own_method.h"

namespace echoloop {

// A line of the compiler.
struct CompilerMessage {
  std::string file;
  int line = 0;      // from 1
  std::string kind;  // error, warning or note
  std::string text;
};

struct OwnBuild {
  std::shared_ptr<const OwnMethod> method;  // null: `problem` says why
  std::string problem;                      // one line, FILE:LINE: message
  std::vector<CompilerMessage> messages;
  double seconds = 0.0;
  double relative_cost = 0.0;  // time of a pixel over that of delay-and-sum by the same loops; 0: not measured
  int registers = 0, spilled_bytes = 0;  // of a thread on a GPU; 0: the CPU
};

// Where the method will run: a GPU by its number, or the CPU.
using OwnTarget = std::optional<int>;

// Precompiles the headers, in some seconds: files are then compiled in half of the time. Any thread.
void prepare_own_methods();

// Compiles the file and tries the method on a small image in a process of its own, so that one that faults, hangs or
// writes no numbers is refused. The method of a file that was compiled before with the same content is used again,
// unless it has failed since. Takes some seconds; any thread, one at a time.
OwnBuild build_own_method(const std::filesystem::path& file, OwnTarget gpu = {});

// Makes builds in progress, and later ones, end at once, until they are allowed again. Any thread.
void end_own_builds();
void allow_own_builds();

// The same for a command line: loads the method (load_own_method()). Throws Error.
void take_own_method(const std::filesystem::path& file, OwnTarget gpu = {});

// Returns why the method in use failed in a frame; empty: it did not, or there is none.
std::string own_method_fault();

// Returns the folder of the program's headers: installed, or the source tree.
std::filesystem::path own_method_headers();

}  // namespace echoloop
