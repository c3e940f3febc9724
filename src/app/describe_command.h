// echoloop describe FILE: the arrays of a file and a description to complete.
#pragma once

#include "app/options/options.h"

namespace echoloop {

int run_describe(const Options& options);  // the exit status. Throws Error

}  // namespace echoloop
