// How much memory looking back may take.
#pragma once

#include "core/free_memory.h"

namespace echoloop {

// Budget for looking back when the user names none: a quarter of what is free, at most 4 GB.
std::size_t default_history_bytes();

}  // namespace echoloop
