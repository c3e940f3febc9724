// What the About panel says of the program, and the question whether a recording may be opened without a sandbox.
// Plain values; UI thread only.
#pragma once

#include <string>

namespace echoloop {

struct ProgramFacts {
  std::string version;  // "0.1.0"
  std::string sandbox;  // of the reader process, as --version says: "static reader: seccomp, Landlock, namespaces"
  std::string licence;  // "MIT License"
  std::string notices;  // path of the file that holds them; empty: not installed
};

enum class SandboxAnswer { open, cancel };

}  // namespace echoloop
