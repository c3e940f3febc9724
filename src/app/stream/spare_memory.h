// How much memory looking back may take, and giving back what is not needed any more.
#pragma once

#include <cstddef>

namespace echoloop {

// Budget for looking back when the user names none: a quarter of what is free, at most 4 GB.
std::size_t default_history_bytes();

// To the system: what was freed lies in the heaps of many threads, which keep it. A few ms; any thread.
void give_back_freed_memory();

}  // namespace echoloop
