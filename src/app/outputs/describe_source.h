// What `echoloop info` says about a source: probe, transmits, sampling, and what its reader had to assume.
#pragma once

#include <string>

#include "app/opening/open_source.h"

namespace echoloop {

std::string describe_source(const OpenedSource& opened);  // lines of text for a researcher
std::string describe_source_json(const OpenedSource& opened);

}  // namespace echoloop
