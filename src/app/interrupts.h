// The ends that come from outside: Ctrl-C, a request to terminate, a terminal that is gone. The run stops as if its
// limit had been reached and writes what it was asked for. Main thread.
#pragma once

namespace echoloop {

// From here on these signals are noted. A terminal that goes may be ignored, as nohup asks.
void watch_interrupts();

[[nodiscard]] bool interrupted();

}  // namespace echoloop
