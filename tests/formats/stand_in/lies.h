// Output of a compromised reader process: nonsense, impossible descriptions, unrequested answers, silence, floods. Each
// is a role of the stand-in, by name.
#pragma once

#include <string>

#include "formats/base/library_recording.h"

namespace echoloop::test {

// Does not return if `role` is a lie. `honest`: recording that lies begin with.
void tell_lie(const std::string& role, const LibraryRecording& honest);

// Waits forever, by a call that the sandbox allows: pause() is refused there, and would be repeated endlessly.
[[noreturn]] void hang();

}  // namespace echoloop::test
