// `echoloop send`: the program as a sender beside a viewer: a demonstration, a test, a load generator. Uses the header
// that users get (senders/echoloop_sender.h).
#pragma once

#include "app/options/options.h"

namespace echoloop {

// Until the source's end, the frames that were asked for, or an interrupt; returns the exit status. Throws Error.
int run_send(const Options& options);

}  // namespace echoloop
