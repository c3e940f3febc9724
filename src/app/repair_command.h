// echoloop repair FILE: a recording that a killed program has left.
#pragma once

#include "app/options/options.h"

namespace echoloop {

int run_repair(const Options& options);  // the exit status. Throws Error

}  // namespace echoloop
