// `echoloop bench`: how fast this machine is, as a short table and as JSON. Every figure says what it is compared with.
#pragma once

#include "app/options/options.h"

namespace echoloop {

int run_bench(const Options& options);

}  // namespace echoloop
