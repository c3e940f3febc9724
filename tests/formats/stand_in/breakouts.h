// What a reader process that was taken over would try to reach: other files, the network, other processes, more
// memory and time.
#pragma once

#include "formats/base/open_request.h"

namespace echoloop::test {

// Throws an Error that says of each attempt what came of it: "socket=EPERM execve=done ...".
[[noreturn]] void try_to_get_out(const OpenRequest& request);

}  // namespace echoloop::test
