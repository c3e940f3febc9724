// Targets of a compromised reader process: other files, the network, other processes, more memory and time.
#pragma once

#include "formats/base/open_request.h"

namespace echoloop::test {

// Throws an Error with the outcome of each attempt: "socket=EPERM execve=done ...".
[[noreturn]] void try_to_get_out(const OpenRequest& request);

}  // namespace echoloop::test
