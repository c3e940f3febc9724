// A source whose frames are looked through before anything else sees them (sample_check.h): a recording's frames once
// each, however often they are played. Invalid samples become zero: in place where the frame was written into a slot,
// in a copy where the source lends its memory. Why here: everything that asks for a frame (stream, history, comparison,
// measuring) gets the same samples on every backend, and no kernel needs to know. [as Source]
#pragma once

#include <memory>

#include "core/sample_log.h"
#include "source/source.h"

namespace echoloop {

// Writes to `log`. Throws Error when no sample of the source is valid.
std::unique_ptr<SeekableSource> make_checked(std::unique_ptr<SeekableSource> source, SampleLogPtr log);

}  // namespace echoloop
