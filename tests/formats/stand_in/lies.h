// What a reader process says that has been taken over: nonsense, impossible descriptions, answers that nothing asked
// for, silence, floods. Each is a role of the stand-in, by name.
#pragma once

#include <string>

#include "formats/base/library_recording.h"

namespace echoloop::test {

// Does not return when `role` is a lie. `honest`: the recording that lies begin with.
void tell_lie(const std::string& role, const LibraryRecording& honest);

// Waits for ever, by a call that the sandbox allows: pause() is refused there, and would be asked for without end.
[[noreturn]] void hang();

}  // namespace echoloop::test
