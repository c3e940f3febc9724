// The ends that come from outside: Ctrl-C, a request to terminate, a terminal that is gone. Any thread.
#pragma once

namespace echoloop {

// From here on such a signal ends the program with one line and exit status 1: there is nothing to finish. Commands
// whose only result is at their end need no more.
void end_at_interrupts();

// From here on these signals are noted: the run stops as if its limit had been reached and writes what it was asked
// for. A terminal that goes may be ignored, as nohup asks.
void watch_interrupts();

[[nodiscard]] bool interrupted();

}  // namespace echoloop
